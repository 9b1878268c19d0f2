// Tests doctor, a dry run and a run on machines with divided, hidden, exclusive or unlike GPUs. The
// fake driver's first GPU is an H200, its second a K80.
#include <gmock/gmock.h>

#include <fstream>

#include "base/gpu.h"
#include "cli/program_fixture.h"
#include "results/shipped_runs.h"

namespace labreport::mixed_machines_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MixedMachine : public ProgramTest {
 protected:
  MixedMachine() { add_fake_gpus(kWorkerForAnyGpu); }

  std::string doctor() { return call({"doctor"}).output; }
  CompletedProcess dry_run(std::vector<std::string> more_flags = {}) {
    std::vector<std::string> words{"run", "--dry-run"};
    words.insert(words.end(), more_flags.begin(), more_flags.end());
    return call(words);
  }
  CompletedProcess short_run(std::vector<std::string> more_flags = {}) {
    std::vector<std::string> words{"run", "--only", "mixed_precision_accumulation"};
    words.insert(words.end(), more_flags.begin(), more_flags.end());
    return call(words);
  }
  /// Returns the UUID hashes of the devices on which the only run was measured.
  std::vector<std::string> measured_device_hashes() const {
    std::vector<std::string> hashes;
    for (const Device& device : RunStore(only_run()).load().devices) {
      hashes.push_back(device.uuid_hash);
    }
    return hashes;
  }
  void expect_refused(const std::string& said) {
    const CompletedProcess process = short_run();
    EXPECT_EQ(process.exit_status, 2);
    EXPECT_TRUE(process.messages.starts_with("labreport: " + said)) << process.messages;
    EXPECT_EQ(std::ranges::count(process.messages, '\n'), 1);
    EXPECT_TRUE(list_runs(folder_ / "site/runs").empty());
  }
};

TEST_F(MixedMachine, TheFirstSliceOfADividedGpuIsMeasured) {
  environment_["FAKE_NVML_SLICES"] = "2";
  EXPECT_THAT(doctor(), AllOf(HasSubstr("✓ GPU 0:0      Fake H200 MIG 1g.18gb, "),
                              HasSubstr("✓ GPU 0:1      Fake H200 MIG 1g.18gb, "),
                              HasSubstr("17.00 GiB of 18.00 GiB free")));
  EXPECT_THAT(dry_run().messages,
              AllOf(HasSubstr("GPU 0 is divided (MIG): its slice 0 is measured; "),
                    HasSubstr("Fake H200 MIG 1g.18gb · "), HasSubstr("needs all 18.00 GiB")));
  ASSERT_EQ(short_run().exit_status, 0);
  EXPECT_EQ(measured_device_hashes(), std::vector{uuid_hash("MIG-33333333-cccc")});
}

TEST_F(MixedMachine, AUuidChoosesOneSliceAndAllChoosesEqualSlices) {
  environment_["FAKE_NVML_SLICES"] = "3";
  environment_["CUDA_VISIBLE_DEVICES"] = "MIG-33333333-dddd";
  EXPECT_THAT(doctor(), HasSubstr("✓ visible      CUDA_VISIBLE_DEVICES=MIG-33333333-dddd leaves "
                                  "GPU 0:1\n"));
  ASSERT_EQ(short_run().exit_status, 0);
  EXPECT_EQ(measured_device_hashes(), std::vector{uuid_hash("MIG-33333333-dddd")});
  environment_["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_THAT(dry_run({"--gpus", "all"}).messages,
              HasSubstr("0:0 (Fake H200 MIG 1g.18gb) and 0:2 (Fake H200 MIG 2g.35gb) are not"));
  environment_["FAKE_NVML_SLICES"] = "2";
  EXPECT_THAT(dry_run({"--gpus", "all"}).messages,
              AllOf(HasSubstr("2 × Fake H200 MIG 1g.18gb"), Not(HasSubstr("divided"))));
}

TEST_F(MixedMachine, ADividedGpuWithoutSlicesIsPassedOverOrRefused) {
  environment_["FAKE_NVML_SLICES"] = "0";
  EXPECT_THAT(doctor(), HasSubstr("✗ GPU 0        GPU 0 (Fake H200) is in MIG mode and has no"));
  EXPECT_THAT(dry_run().messages, HasSubstr("Fake K80 · ")) << "as CUDA passes it over";
  environment_["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_THAT(dry_run().messages, HasSubstr("GPU 0 (Fake H200) is in MIG mode and has no slice"));
  expect_refused("GPU 0 (Fake H200) is in MIG mode and has no slice; make one with nvidia-smi mig");
}

TEST_F(MixedMachine, AnExclusiveGpuIsMeasuredUnlessAnotherProcessHasIt) {
  environment_["FAKE_NVML_MODE"] = "3";
  EXPECT_THAT(doctor(), HasSubstr(", 0 processes use it, exclusive compute mode\n"));
  ASSERT_EQ(short_run().exit_status, 0);
  EXPECT_EQ(measured_device_hashes(), std::vector{uuid_hash("GPU-11111111-aaaa")});
  environment_["FAKE_NVML_PROCESSES"] = "1";
  EXPECT_THAT(dry_run().messages, HasSubstr("Fake K80 · "));
  EXPECT_EQ(short_run({"--gpus", "0"}).exit_status, 2);
  EXPECT_THAT(dry_run({"--gpus", "0"}).messages,
              HasSubstr("GPU 0 (Fake H200) is in an exclusive compute mode and another process"));
}

TEST_F(MixedMachine, AWordThatNamesNoGpuIsRefused) {
  for (const char* word : {"7", "GPU-9", "GPU-", "MIG-33333333-cccc"}) {
    environment_["CUDA_VISIBLE_DEVICES"] = word;
    EXPECT_THAT(doctor(), HasSubstr(std::string("– visible      CUDA_VISIBLE_DEVICES=") + word +
                                    " hides all GPUs; '" + word + "' names no GPU, or several"));
    expect_refused(
        std::string("CUDA_VISIBLE_DEVICES=") + word +
        " matches no GPU here, or more than one; there is 0 (Fake H200) and 1 (Fake K80)");
  }
}

TEST_F(MixedMachine, AnEmptyListHidesTheGpusOnPurpose) {
  environment_["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_THAT(doctor(), HasSubstr("– visible      CUDA_VISIBLE_DEVICES= hides all GPUs\n"));
  EXPECT_THAT(dry_run().messages, HasSubstr("no NVIDIA device here (CUDA_VISIBLE_DEVICES hides "
                                            "all): a demonstration on the CPU"));
}

TEST_F(MixedMachine, AnAbbreviatedUuidSelectsAGpu) {
  environment_["CUDA_VISIBLE_DEVICES"] = "GPU-1111,GPU-9";
  EXPECT_THAT(dry_run().messages,
              AllOf(HasSubstr("Fake H200 · "),
                    HasSubstr("CUDA_VISIBLE_DEVICES: 'GPU-9' names no other GPU here")));
  ASSERT_EQ(short_run().exit_status, 0);
  EXPECT_EQ(measured_device_hashes(), std::vector{uuid_hash("GPU-11111111-aaaa")});
}

/// Imitates WSL, where the driver's libraries are not on the loader's path.
class Windows : public MixedMachine {
 protected:
  Windows() {
    const fs::path windows_folder = folder_ / "lent";
    const fs::path linux_folder = folder_ / "own";
    fs::create_directories(windows_folder);
    fs::create_directories(linux_folder);
    fs::create_symlink(LABREPORT_FAKES_DIR "/nvml.so", windows_folder / "libnvidia-ml.so.1");
    std::ofstream(linux_folder / "libnvidia-ml.so.1");  // It hides the machine's own.
    environment_.erase("LABREPORT_NVML");
    environment_["LD_LIBRARY_PATH"] = linux_folder.string();
    environment_["LABREPORT_WSL"] = windows_folder.string();
  }
};

TEST_F(Windows, TheDriverIsFoundInTheWindowsFolder) {
  EXPECT_THAT(doctor(), AllOf(HasSubstr("✓ driver       580.95.05, "), HasSubstr("✓ GPU 0 ")));
  EXPECT_THAT(dry_run().messages, HasSubstr("Fake H200 · "));
}

TEST_F(Windows, WorkersFindTheDriverToo) {
  const fs::path worker = folder_ / "seen";
  std::ofstream(worker) << "#!/bin/sh\necho \"$LD_LIBRARY_PATH\" > " << folder_ / "path"
                        << "\nexec " << LABREPORT_FAKES_DIR "/worker" << " \"$@\"\n";
  fs::permissions(worker, fs::perms::owner_all);
  environment_["LABREPORT_WORKER"] = worker.string();
  ASSERT_EQ(short_run().exit_status, 0);
  std::ifstream seen(folder_ / "path");
  std::string path;
  std::getline(seen, path);
  EXPECT_TRUE(path.ends_with(":" + environment_["LABREPORT_WSL"])) << path;
}

TEST_F(Windows, ADriverThatDoesNotLoadIsReported) {
  fs::remove(folder_ / "lent/libnvidia-ml.so.1");
  std::ofstream(folder_ / "lent/libnvidia-ml.so.1") << "damaged";
  expect_refused("the kernel shows an NVIDIA device, but it cannot be used: ");
}

TEST_F(MixedMachine, TheCostIsPrintedBeforeTheFirstLaunch) {
  const CompletedProcess process = short_run();
  const auto cost = process.messages.find("; needs 0.1 GiB of disk\n");
  EXPECT_NE(cost, std::string::npos) << process.messages;
  EXPECT_LT(cost, process.messages.find("[1/1]"));
  EXPECT_THAT(dry_run().messages,
              HasSubstr("; needs up to 109.3 GiB of GPU memory and 0.6 GiB of"));
  environment_["FAKE_NVML_GIB"] = "24";
  EXPECT_THAT(dry_run().messages,
              HasSubstr("; needs all 24.00 GiB of GPU memory (65 cells need more: each becomes a "
                        "row with its reason) and 0.4 GiB of disk\n"));
}

TEST_F(MixedMachine, TheCostIsNearWhatARecordedRunTook) {
  const auto run = testing_shipped::full_run("nvidia-h200/2025");
  if (!run) GTEST_SKIP() << testing_shipped::kNotHere;
  double seconds = 0;
  double peak = 0;
  for (const Cell& cell : run->cells) {
    for (const Launch& launch : cell.launches) {
      seconds += static_cast<double>(launch.wall_ns) * 1e-9;
      const Metric* used = launch.find("memory", "peak_allocated");
      if (used != nullptr) peak = std::max(peak, used->number().value_or(0));
    }
  }
  const std::string said = dry_run().messages;
  const double minutes = std::stod(said.substr(said.find("about ") + 6));
  EXPECT_GT(minutes, seconds / 60 * 0.7);
  EXPECT_LT(minutes, seconds / 60 * 1.5);
  const double gibibytes = std::stod(said.substr(said.find("up to ") + 6));
  EXPECT_GE(gibibytes * (1 << 30), peak);
}

}  // namespace
}  // namespace labreport::mixed_machines_test
