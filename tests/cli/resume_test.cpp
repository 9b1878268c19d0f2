// Tests that an interrupted run is kept and can be resumed.
#include <gmock/gmock.h>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport::resume_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// This script waits until a launch is stored. A fixed time could be too short on a busy machine and
// too long on a fast one. It needs job control, because without it background jobs ignore SIGINT.
constexpr const char* kSignalAfterFirstLaunch = R"(
set -m
signal=$1; shift
"$@" & pid=$!
while kill -0 $pid && ! compgen -G 'site/runs/*/*/*/cells/*.json' > /dev/null; do sleep 0.05; done
kill -s "$signal" $pid
wait $pid
)";

class Resuming : public ProgramTest {
 protected:
  /// Runs `labreport` with these words and slow workers, and sends the signal once a launch is
  /// stored.
  CompletedProcess run_interrupted(const std::string& signal,
                                   const std::vector<std::string>& words) {
    environment_["FAKE_WORKER"] = "slow";
    std::vector<std::string> argv{"bash", "-c",   kSignalAfterFirstLaunch,
                                  "bash", signal, environment_["LABREPORT"]};
    argv.insert(argv.end(), words.begin(), words.end());
    const CompletedProcess process = run(argv);
    environment_.erase("FAKE_WORKER");
    return process;
  }

  labreport::Run stored_run() const { return RunStore(only_run()).load(); }
};

std::size_t launch_count(const labreport::Run& run) {
  std::size_t launches = 0;
  for (const Cell& cell : run.cells) launches += cell.launches.size();
  return launches;
}

TEST_F(Resuming, CtrlCKeepsWhatIsFinishedAndResumeGoesOn) {
  const CompletedProcess interrupted = run_interrupted("INT", {"report", "--preset", "demo"});
  EXPECT_EQ(interrupted.exit_status, 130) << interrupted.messages;
  EXPECT_THAT(interrupted.messages, HasSubstr("launches are kept in site/runs/"));
  EXPECT_THAT(interrupted.messages, HasSubstr("labreport report --preset demo --resume`\n"));
  EXPECT_EQ(interrupted.output, "") << "nothing to show yet";
  const auto before = stored_run();
  const std::size_t finished_launches = launch_count(before);
  EXPECT_GT(finished_launches, 0u);
  EXPECT_LT(finished_launches, 31u);
  EXPECT_EQ(before.cells.size(), 31u) << "what is missing can be seen";

  const CompletedProcess resumed = call({"report", "--preset", "demo", "--resume"});
  EXPECT_EQ(resumed.exit_status, 0) << resumed.messages;
  EXPECT_THAT(resumed.messages, HasSubstr("[31/31]"));
  EXPECT_THAT(resumed.messages, Not(HasSubstr("[ 1/31]"))) << "not measured again";
  const auto after = stored_run();
  EXPECT_EQ(after.sessions.size(), 2u);
  EXPECT_EQ(launch_count(after), 31u);
  EXPECT_EQ(after.cells.front().launches.at(0).session, 0);
  EXPECT_EQ(after.cells.back().launches.at(0).session, 1);
  EXPECT_FALSE(fs::exists(RunStore(only_run()).cells_folder()));
}

TEST_F(Resuming, RepeatsFailuresInTheRunsOwnFolder) {
  environment_["FAKE_WORKER"] = "status7";
  const std::vector<std::string> words{"run", "--preset", "demo", "--sizes", "demo-1"};
  EXPECT_EQ(call(words).exit_status, 1);
  environment_.erase("FAKE_WORKER");
  std::vector<std::string> resume_words = words;
  resume_words.insert(resume_words.end(), {"--resume", "--out", only_run().string()});
  EXPECT_EQ(call(resume_words).exit_status, 0);
  for (const Cell& cell : stored_run().cells)
    EXPECT_TRUE(is_ok(cell.launches.at(0).outcome)) << cell.id;
}

TEST_F(Resuming, NeedsAnInterruptedRun) {
  const CompletedProcess process = call({"run", "--preset", "demo", "--resume"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              HasSubstr("labreport: no interrupted run of --preset demo below " +
                        (std::filesystem::canonical(folder_) / "site/runs").string() +
                        ", which is not there; measure anew without --resume\n"));
}

TEST_F(Resuming, ARunIsNamedByOutAndItsFileNamesItToo) {
  const std::vector<std::string> words{"run", "--preset", "demo", "--only",
                                       "mixed_precision_accumulation"};
  ASSERT_EQ(call(words).exit_status, 0);
  const std::string folder = fs::relative(only_run(), folder_);
  const CompletedProcess refused = call({"run", "--resume", folder});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.messages,
              HasSubstr("; `labreport run --resume --out RUN` resumes one run\n"));
  const CompletedProcess resumed = call({"run", "--resume", "--out", folder + "/run.json"});
  EXPECT_EQ(resumed.exit_status, 0) << resumed.messages;
  EXPECT_EQ(resumed.output, folder + "\n");
}

TEST_F(Resuming, ARunOfAGpuIsNotResumedWithoutOne) {
  add_fake_gpus(kWorkerForAnyGpu);
  ASSERT_EQ(call({"run", "--only", "mixed_precision_accumulation", "--gpus", "0"}).exit_status, 0);
  environment_["LABREPORT_NVML"] = "";
  const CompletedProcess process = call({"run", "--resume", "--out", only_run().string()});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              HasSubstr("this run was begun on Fake H200, and there is no NVIDIA device here ("));
  EXPECT_THAT(process.messages, HasSubstr("); resume it where its GPU is, or measure anew"));
}

TEST_F(Resuming, CompletesTheRecordedPlanWithoutItsFlags) {
  const std::vector<std::string> words{"report",          "--preset",    "demo",
                                       "--sizes",         "mine,demo-1", "--size",
                                       "mine=64,256,2,2", "--only",      "benchmarking_script.b"};
  EXPECT_EQ(run_interrupted("INT", words).exit_status, 130);
  const auto before = stored_run();
  const CompletedProcess resumed = call({"report", "--resume"});
  EXPECT_EQ(resumed.exit_status, 0) << resumed.messages;
  const auto after = stored_run();
  ASSERT_EQ(after.cells.size(), before.cells.size()) << "no other plan's cells";
  for (const Cell& cell : after.cells) {
    EXPECT_NE(before.find(cell.id), nullptr) << cell.id;
    EXPECT_EQ(cell.launches.size(), 1u) << cell.id;
  }
  EXPECT_FALSE(fs::exists(RunStore(only_run()).cells_folder()));
}

TEST_F(Resuming, RefusesImportedRuns) {
  write_atomically(folder_ / "table.csv", "size,mode,mean_ms\nsmall,forward,5\n");
  ASSERT_EQ(call({"import", "table.csv", "--gpu", "A", "--edition", "2025", "--context", "128",
                  "--precision", "fp32"})
                .exit_status,
            0);
  const fs::path folder = only_run();
  const std::string before = read_file(folder / "run.json");
  for (const bool is_marked : {true, false}) {
    const CompletedProcess process = call({"run", "--resume", "--out", folder.string()});
    EXPECT_EQ(process.exit_status, 2);
    EXPECT_THAT(process.messages, HasSubstr("holds numbers that were imported, not measured"));
    fs::remove(folder / "imported");
    fs::create_directory(folder / "cells");
    EXPECT_EQ(call({"run", "--resume"}).exit_status, 2) << is_marked;
  }
  EXPECT_EQ(read_file(folder / "run.json"), before);
}

TEST_F(Resuming, PassesOverAnUnreadableRun) {
  EXPECT_EQ(run_interrupted("INT", {"run", "--preset", "demo", "--sizes", "demo-1"}).exit_status,
            130);
  const fs::path broken = folder_ / "site/runs/z/2025/99990101-000000-a";
  fs::create_directories(broken / "cells");
  write_atomically(broken / "run.json", "{");
  const CompletedProcess resumed = call({"run", "--resume"});
  EXPECT_EQ(resumed.exit_status, 0) << resumed.messages;
  EXPECT_THAT(resumed.messages, HasSubstr("left out: site/runs/z/2025/"));
}

}  // namespace
}  // namespace labreport::resume_test
