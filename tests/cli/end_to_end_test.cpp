// Measures and renders whole runs with the fake worker.
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "results/run_store.h"

namespace labreport::end_to_end_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class EndToEnd : public ProgramTest {
 protected:
  labreport::Run stored_run() const { return RunStore(only_run()).load(); }

  /// Returns the path in "report: <path>\n".
  static fs::path printed_page(const CompletedProcess& process) {
    const std::size_t begin = std::string_view("report: ").size();
    return process.output.substr(begin, process.output.size() - begin - 1);
  }

  /// Writes the files of a LibTorch of this version that the set-up scripts read; returns its
  /// folder.
  fs::path libtorch(const std::string& major, const std::string& minor) const {
    const fs::path torch = folder_ / "torch";
    for (const char* folder : {"lib", "include/ATen/core", "include/torch/headeronly"}) {
      fs::create_directories(torch / folder);
    }
    std::ofstream(torch / "lib/libtorch_cpu.so");
    std::ofstream(torch / "include/ATen/core/Tensor.h");
    std::ofstream(torch / "include/torch/headeronly/version.h")
        << "#define TORCH_VERSION_MAJOR " << major << "\n#define TORCH_VERSION_MINOR " << minor;
    return torch;
  }
};

TEST_F(EndToEnd, ReportMeasuresAndRendersTheDemonstration) {
  const CompletedProcess process = call({"report"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.messages, HasSubstr("a demonstration on the CPU\n"));
  EXPECT_THAT(process.messages, HasSubstr("demo preset · 31 cells"));
  EXPECT_THAT(process.messages,
              HasSubstr("[31/31]  memory  demo-3  ctx 64    bf16  training step"));
  EXPECT_THAT(process.messages, HasSubstr("\nrendering 1 run\n"));
  EXPECT_THAT(process.messages, Not(HasSubstr("\033"))) << "quiet where nobody looks";
  ASSERT_TRUE(process.output.starts_with("report: site/public/")) << process.output;
  ASSERT_TRUE(process.output.ends_with("/index.html\n"));
  const fs::path page = printed_page(process);
  EXPECT_THAT(read_file(folder_ / page), HasSubstr("benchmarking_script"));
  const auto run = stored_run();
  EXPECT_EQ(run.preset, "demo");
  EXPECT_EQ(run.sessions.at(0).argv, (std::vector<std::string>{"labreport", "report"}));
  EXPECT_EQ(run.sessions[0].host, "") << "only with --keep-host";
  EXPECT_EQ(call({"check", only_run().string()}).exit_status, 0);
}

TEST_F(EndToEnd, AUsersModelIsMeasuredAndNamedInTheReport) {
  const CompletedProcess process =
      call({"report", "--preset", "demo", "--sizes", "demo-1", "--model", "net.py:Net",
            "--model-args", R"({"width": "$d_model"})", "--compile"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  for (const Cell& cell : stored_run().cells) {
    EXPECT_EQ(cell.spec.implementation, cell.spec.model ? "Net-0a1b2c3d" : "") << cell.id;
  }
  const fs::path page = printed_page(process);
  const std::string report = read_file(folder_ / page.parent_path() / "report.md");
  EXPECT_THAT(report, HasSubstr("of Net-0a1b2c3d"));
  EXPECT_THAT(report, HasSubstr("The network is net.py:Net"));
  EXPECT_THAT(report, HasSubstr("MODEL=net.py:Net 'MODEL_ARGS={\"width\": \"$d_model\"}'"));
  EXPECT_THAT(report, HasSubstr(" COMPILE=1"));
  EXPECT_THAT(report, HasSubstr("wrapped in `torch.compile`"));
  EXPECT_EQ(call({"check", only_run().string()}).exit_status, 0);
}

TEST_F(EndToEnd, AUsersAttentionIsTimedBesidePyTorchs) {
  const CompletedProcess process =
      call({"report", "--preset", "demo", "--attention", "net.py:Net"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  const fs::path page = printed_page(process);
  const std::string report = read_file(folder_ / page.parent_path() / "report.md");
  EXPECT_THAT(report, HasSubstr("Net (yours)"));
  EXPECT_THAT(report, HasSubstr("ATTENTION=net.py:Net"));
  EXPECT_THAT(report, HasSubstr("--attention net.py:Net"));
  EXPECT_THAT(report, Not(HasSubstr("The network is net.py:Net")));
  EXPECT_EQ(call({"check", only_run().string()}).exit_status, 0);
}

TEST_F(EndToEnd, AModelAndLabreportsNetworkAreMeasuredInOneRunAndCompared) {
  const CompletedProcess process = call({"report", "--preset", "demo", "--sizes", "demo-1",
                                         "--model", "net.py:Net", "--and", "labreport"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  const labreport::Run run = stored_run();
  const auto timed_only = [](labreport::Run part) {
    std::erase_if(part.cells, [](const labreport::Cell& cell) {
      return cell.spec.kind == labreport::CellKind::kDtypes;  // Only the user's model has these.
    });
    return part.cells.size();
  };
  EXPECT_EQ(timed_only(without_labreports_network(run)), timed_only(without_users_model(run)));
  const fs::path page = printed_page(process);
  const std::string report = read_file(folder_ / page.parent_path() / "report.md");
  EXPECT_THAT(report, HasSubstr("## Compared with labreport’s network"));
  EXPECT_EQ(call({"check", only_run().string()}).exit_status, 0);
  EXPECT_THAT(call({"list", "cells", "--preset", "demo", "--sizes", "demo-1", "--model",
                    "net.py:Net", "--and", "labreport"})
                  .output,
              HasSubstr(std::to_string(run.cells.size()) + " cells"));
}

TEST_F(EndToEnd, AUsersTrainingStepIsMeasuredAndNamedInTheReport) {
  const CompletedProcess process = call({"report", "--preset", "demo", "--step", "train.py:make",
                                         "--step-args", R"({"width": "$d_model"})"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  std::set<std::string> sizes;
  for (const Cell& cell : stored_run().cells) {
    if (cell.spec.implementation.empty() || !cell.spec.mode) continue;
    EXPECT_EQ(cell.spec.mode, labreport::Mode::kTrainStep) << cell.id;
    sizes.insert(cell.spec.size);
  }
  EXPECT_GT(sizes.size(), 1u);
  const fs::path page = printed_page(process);
  const std::string report = read_file(folder_ / page.parent_path() / "report.md");
  EXPECT_THAT(report, HasSubstr("The training step is what train.py:make makes"));
  EXPECT_THAT(report, HasSubstr("STEP=train.py:make 'STEP_ARGS={\"width\": \"$d_model\"}'"));
  EXPECT_EQ(call({"check", only_run().string()}).exit_status, 0);
}

TEST_F(EndToEnd, AStepOfOneSizeAndPrecisionHasOneRow) {
  const CompletedProcess process = call({"run", "--preset", "demo", "--only",
                                         "benchmarking_script.b", "--step", "fixed_size.py:make"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  const labreport::Run run = stored_run();
  std::size_t rows = 0;
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind != labreport::CellKind::kTiming) continue;
    EXPECT_EQ(cell.spec.size, "own");
    EXPECT_EQ(cell.spec.precision, Precision::kBf16);
    ++rows;
  }
  EXPECT_EQ(rows, 1u);
  const auto refusal = [&](const std::string& flag, const std::string& value) {
    return call({"run", "--preset", "demo", "--step", "fixed_size.py:make", flag, value}).messages;
  };
  EXPECT_THAT(refusal("--and", "labreport"), HasSubstr("needs a --step that takes sizes"));
  EXPECT_THAT(refusal("--precisions", "fp32"), HasSubstr("computes in BF16"));
}

TEST_F(EndToEnd, AModelThatCannotBeLoadedIsReportedInOneLine) {
  const CompletedProcess process = call({"run", "--preset", "demo", "--model", "missing.py:Net"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("Traceback (most recent call last)\n"));
  EXPECT_TRUE(process.messages.ends_with("labreport: there is no file missing.py\n"));
}

TEST_F(EndToEnd, AModelThatCannotTakeAStepStopsTheRun) {
  environment_["FAKE_WORKER"] = "status7";
  const CompletedProcess process =
      call({"run", "--preset", "demo", "--sizes", "demo-1", "--model", "net.py:Net"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("nothing is measured, and the traceback is in "));
  EXPECT_TRUE(fs::exists(folder_ / "site/runs/traceback.txt"));
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "site/runs"))
    EXPECT_NE(entry.path().filename(), "run.json");
}

TEST_F(EndToEnd, AnAttentionThatRunsInOnePrecisionIsMeasured) {
  environment_["FAKE_WORKER"] = "fails_fp32";
  const CompletedProcess process = call({"run", "--preset", "demo", "--attention", "net.py:Net"});
  EXPECT_EQ(process.exit_status, 1) << process.messages;
  const labreport::Run run = stored_run();
  for (const Cell& cell : run.cells) {
    EXPECT_EQ(is_failure(cell.launches.at(0).outcome), cell.spec.precision == Precision::kFp32)
        << cell.id;
  }
  EXPECT_EQ(run.cells.at(1).spec.implementation, "Net-0a1b2c3d") << "behind the limits";
}

TEST_F(EndToEnd, ARunThatMostlyFailedSaysSoAndIsNotTheLatest) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--sizes", "demo-1"}).exit_status, 0);
  const fs::path good = only_run();
  environment_["FAKE_WORKER"] = "status7";
  const CompletedProcess process = call({"run", "--preset", "demo", "--sizes", "demo-1"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr("\n0 of 17 measurements succeeded (17 failed); "
                                          "`labreport run --resume --out "));
  environment_.erase("FAKE_WORKER");
  EXPECT_THAT(call({"check", "latest"}).output,
              HasSubstr(good.lexically_relative(folder_).string()));
  EXPECT_THAT(call({"submit"}).output, HasSubstr(good.lexically_relative(folder_).string()));
}

TEST_F(EndToEnd, HintsUnderMakeNameItsVariables) {
  environment_["LABREPORT_CALLER"] = "make";
  const CompletedProcess process =
      call({"report", "--edition", "2025", "--problems", "gradient_checkpointing"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("EDITION=2026"));
  EXPECT_THAT(process.messages, Not(HasSubstr("--edition")));
}

TEST_F(EndToEnd, FailuresGiveStatusOneAndAReport) {
  environment_["FAKE_WORKER"] = "status7";
  const CompletedProcess process = call({"report", "--preset", "demo", "--sizes", "demo-1"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr("failed: the worker ended with exit status 7"));
  EXPECT_THAT(process.output, HasSubstr("report: site/public/"));
}

TEST_F(EndToEnd, AnExistingRunIsNotOverwritten) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--sizes", "demo-1"}).exit_status, 0);
  const CompletedProcess process = call({"run", "--preset", "demo", "--out", only_run().string()});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("already holds a run; choose another folder with --out"));
}

TEST_F(EndToEnd, ALimitOnFileSizesIsReported) {
  const CompletedProcess process =
      run({"bash", "-c", "ulimit -f 1 && \"$LABREPORT\" run --preset demo"});
  EXPECT_EQ(process.signal, 0);
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              HasSubstr("run.json: File too large; raise the limit on the size of "
                        "files (ulimit -f)\n"));
  EXPECT_TRUE(list_runs(folder_ / "site/runs").empty());
}

TEST_F(EndToEnd, ADeviceThatCannotStartIsBadInputAndLeavesNoRun) {
  environment_["FAKE_WORKER"] = "no_device";
  const CompletedProcess process = call({"run", "--preset", "demo"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("labreport: CUDA cannot start: the driver is too old; "));
  EXPECT_TRUE(list_runs(folder_ / "site/runs").empty());
}

TEST_F(EndToEnd, OutOfMemoryIsAResult) {
  add_fake_gpus(kWorkerForAnyGpu);
  environment_["FAKE_WORKER"] = "oom";
  const CompletedProcess process = call({"run", "--sizes", "small", "--modes", "train_step"});
  EXPECT_EQ(process.exit_status, 0);
  EXPECT_THAT(process.messages, HasSubstr("out of memory in backward: tried to allocate 2.00 GiB"));
}

TEST_F(EndToEnd, EachGpuHasItsWorker) {
  add_fake_gpus(kWorkerForAnyGpu);
  environment_["FAKE_NVML"] = "alike";
  const CompletedProcess process = call({"run", "--preset", "quick", "--gpus", "all"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.messages, HasSubstr("2 × Fake H200 · 2025 edition, quick preset"));
  const auto run = stored_run();
  EXPECT_EQ(run.devices.size(), 2u);
  EXPECT_NE(run.devices[0].uuid_hash, run.devices[1].uuid_hash);
  const std::string text = read_file(RunStore(only_run()).run_file());
  EXPECT_THAT(text, Not(HasSubstr("GPU-1111"))) << "only its hash is kept";
}

TEST_F(EndToEnd, ARunInTwoFoldersIsShownOnceAndNamed) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--only", "mixed_precision_accumulation"}).exit_status,
            0);
  const fs::path first = fs::relative(only_run(), folder_), copy = first.string() + "-copy";
  fs::copy(folder_ / first, folder_ / copy, fs::copy_options::recursive);
  const CompletedProcess process = call({"render", "--format", "md"});
  EXPECT_EQ(process.exit_status, 0);
  EXPECT_EQ(process.messages,
            first.string() + " and " + copy.string() + " hold the same run, which is shown once\n");
}

TEST_F(EndToEnd, RenderLeavesReferenceRunsOutWhenAsked) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--sizes", "demo-1"}).exit_status, 0);
  std::ofstream(only_run() / "reference") << "ships with the project\n";
  const CompletedProcess all = call({"render", "--answers", "none"});
  EXPECT_EQ(all.exit_status, 0) << all.messages;
  EXPECT_THAT(all.output, HasSubstr("site: site/public/index.html"));
  const CompletedProcess own = call({"render", "--own"});
  EXPECT_EQ(own.exit_status, 2);
  EXPECT_THAT(own.messages, HasSubstr("no run to render"));
}

TEST_F(EndToEnd, RenderPrintsTheSingleFilePage) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--only", "mixed_precision_accumulation"}).exit_status,
            0);
  const std::string named = call({"render", "--single-file"}).output;
  const std::string page = named.substr(0, named.find('\n'));
  EXPECT_FALSE(page.ends_with("/index.html")) << page;
  EXPECT_THAT(read_file(folder_ / page), HasSubstr("<!DOCTYPE html>"));
}

TEST_F(EndToEnd, SnapshotsArePublishedButLinksAreNot) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--only", "memory_profiling"}).exit_status, 0);
  const RunStore store(only_run());
  for (const Cell& cell : stored_run().cells) {
    if (cell.spec.precision != Precision::kFp32) continue;
    const fs::path snapshot = store.artifact_prefix(cell.id, 0).string() + artifact::kSnapshot;
    fs::create_directories(snapshot.parent_path());
    if (cell.spec.mode == Mode::kTrainStep) std::ofstream(snapshot) << "a snapshot";
    if (cell.spec.mode == Mode::kInference) fs::create_symlink("/etc/hostname", snapshot);
  }
  const CompletedProcess process = call({"render"});
  ASSERT_EQ(process.exit_status, 0) << process.messages;
  const fs::path page = folder_ / process.output.substr(0, process.output.find('\n'));
  EXPECT_EQ(read_file(page.parent_path() / "memory-step.pickle"), "a snapshot");
  EXPECT_FALSE(fs::exists(page.parent_path() / "memory-inference.pickle"));
}

TEST_F(EndToEnd, AnUnreadableRunDoesNotStopTheOthers) {
  ASSERT_EQ(call({"run", "--preset", "demo", "--sizes", "demo-1"}).exit_status, 0);
  fs::create_directories(folder_ / "site/runs/future");
  std::ofstream(folder_ / "site/runs/future/run.json") << R"({"schema_version": "9.0.0"})";
  const CompletedProcess process = call({"render"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr("left out: "));
  EXPECT_THAT(process.output, HasSubstr("site/public/fake-cpu/2025/"));
  EXPECT_EQ(call({"check", "site/runs/future"}).exit_status, 2);
  const CompletedProcess list = call({"list", "runs"});
  EXPECT_EQ(list.exit_status, 1);
  EXPECT_THAT(list.output, ContainsRegex("future +–  +– +unreadable\n"));
  EXPECT_THAT(list.output, HasSubstr("profiling  17 ok\n"));
  EXPECT_THAT(list.messages, HasSubstr("site/runs/future/run.json: "));
}

TEST_F(EndToEnd, ADamagedWorkerDescriptionIsReportedWithItsFault) {
  for (const auto& [description, said] :
       {std::pair{R"({"torch": 2.11})", "torch: expected a string, found 2.11"},
        {R"({"architectures": ["sm_90", null]})",
         "architectures[1]: expected a string, found null"},
        {R"({"torch": "2.11)", "line 1: the file ends in the middle of the document"},
        {"[]", "the document: expected an object, found an array"},
        {"{\"torch\": \"\xFF\"}", "line 1: this is not UTF-8"}}) {
    add_fake_gpus(description);
    const CompletedProcess process = call({"run"});
    EXPECT_EQ(process.exit_status, 2);
    EXPECT_THAT(process.messages, HasSubstr("worker.json: " + std::string(said)));
    EXPECT_THAT(process.messages, HasSubstr("build the worker again"));
  }
}

TEST_F(EndToEnd, DoctorListsWhatIsHereAndWhatIsMissing) {
  add_fake_gpus(R"({"torch": "2.11.0", "cuda": "13.0", "architectures": ["sm_90"]})");
  const CompletedProcess process = call({"doctor"});
  EXPECT_EQ(process.exit_status, 1) << "one GPU cannot be used";
  for (const char* words :
       {"✓ torch        2.11.0, CUDA 13.0, for sm_90\n", "✓ driver       580.95.05, for CUDA up to",
        "✓ GPU 0        Fake H200, compute capability 9.0, 140.0 GiB of 141.0 GiB free",
        "✗ GPU 1        Fake K80 has compute capability 3.0, but", "✓ worker ", "✓ memory ",
        "disk ", "charts ", "PDF ", "browser ", "compiler "}) {
    EXPECT_THAT(process.output, HasSubstr(words));
  }
}

TEST_F(EndToEnd, DoctorGoesOnPastFoldersThatItCannotUse) {
  fs::create_symlink("loop", folder_ / "loop");
  environment_["PATH"] = (folder_ / "loop").string() + ":/usr/bin:/bin";
  environment_["TMPDIR"] = "/proc";
  const CompletedProcess process = call({"doctor"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.output, AllOf(HasSubstr("compiler "), HasSubstr("edition ")));
  EXPECT_THAT(process.output,
              ContainsRegex("– charts +(cannot make a temporary folder /proc/|no vl_convert)"));
}

TEST_F(EndToEnd, DoctorNamesAnUnusedTorchAndTheSupportedRange) {
  add_fake_gpus(R"({"torch": "2.11.0", "cuda": "13.0", "architectures": ["sm_90"]})");
  environment_["LIBTORCH"] = libtorch("2", "7").string();
  EXPECT_THAT(call({"doctor"}).output,
              HasSubstr("– builds with  torch 2.7 of LIBTORCH=" + environment_["LIBTORCH"] +
                        " is not used: labreport is built with torch 2.8 to 2.15; "));
}

TEST_F(EndToEnd, DoctorNamesTheTorchToBuildWithAndTheLockedOne) {
  add_fake_gpus(R"({"torch": "2.11.0", "cuda": "13.0", "architectures": ["sm_90"]})");
  environment_["FAKE_NVML_DRIVER"] = "550.54.14";
  environment_["FAKE_NVML_CUDA"] = "12040";
  environment_["LIBTORCH"] = libtorch("2", "9").string();
  EXPECT_THAT(
      call({"doctor"}).output,
      AllOf(HasSubstr("✓ builds with  torch 2.9 of LIBTORCH=" + environment_["LIBTORCH"]),
            HasSubstr("✓ locked torch cu128: torch 2.10.0 for CUDA 12.8, because the driver "
                      "550.54.14 serves CUDA 12.4 at most\n"),
            HasSubstr("– locked torch Fake K80 (compute capability 3.0) is not served")));
}

TEST_F(EndToEnd, OnATerminalALiveLineShowsTheTimeLeft) {
  environment_["FAKE_WORKER"] = "slow";
  environment_["TERM"] = "xterm";
  environment_["NO_COLOR"] = "1";
  const std::string shell = "\"$LABREPORT\" run --preset demo --sizes demo-1";
  const CompletedProcess process = run({"script", "-qec", shell, "/dev/null"});
  EXPECT_EQ(process.exit_status, 0);
  EXPECT_THAT(process.output, HasSubstr("\r\033[K[0/17]  limits"));
  EXPECT_THAT(process.output, HasSubstr(" left"));
  EXPECT_THAT(process.output, Not(HasSubstr("\033[3")));
}

#ifndef __SANITIZE_ADDRESS__
TEST_F(EndToEnd, AnswersThatNeedNoRunAreQuick) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"list", "sizes"},
                                             {"list", "cells", "--preset", "full"},
                                             {"run", "--dry-run", "--preset", "full"}}) {
    std::int64_t best = 1'000'000'000;
    for (int i = 0; i < 10; ++i) best = std::min(best, call(words).wall_ns);
    // Idle machines need under 20 ms, busy ones 40; loading LibTorch or Python would take 300.
    EXPECT_LT(best, 100'000'000) << words[0];
  }
}
#endif

}  // namespace
}  // namespace labreport::end_to_end_test
