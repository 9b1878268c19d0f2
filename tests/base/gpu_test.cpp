#include "base/gpu.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace labreport::gpu_test {
namespace {

// tests/fakes/nvml.cpp imitates the driver.
class GpuTest : public testing::Test {
 protected:
  GpuTest() { setenv("LABREPORT_NVML", LABREPORT_FAKES_DIR "/nvml.so", 1); }
  ~GpuTest() override {
    for (const char* name : {"LABREPORT_NVML", "FAKE_NVML", "FAKE_NVML_PROCESSES",
                             "FAKE_NVML_SLICES", "FAKE_NVML_MODE", "FAKE_NVML_DISPLAY"}) {
      unsetenv(name);
    }
  }
};

TEST_F(GpuTest, DescribesEveryDeviceAndTheDriver) {
  const GpuSurvey survey = survey_gpus();
  EXPECT_EQ(survey.status, NvmlStatus::kUsable);
  EXPECT_EQ(survey.problem, "");
  EXPECT_EQ(survey.driver, "580.95.05");
  EXPECT_EQ(survey.cuda, "13.0");
  ASSERT_EQ(survey.gpus.size(), 2u);
  const Gpu& gpu = survey.gpus[0];
  EXPECT_EQ(gpu.name, "Fake H200");
  EXPECT_EQ(gpu.uuid, "GPU-11111111-aaaa");
  EXPECT_EQ(gpu.compute_capability(), "9.0");
  EXPECT_EQ(gpu.memory_bytes, 141LL << 30);
  EXPECT_EQ(gpu.free_bytes, 140LL << 30);
  EXPECT_EQ(gpu.max_sm_clock_mhz, 1980);
  EXPECT_EQ(gpu.power_limit_mw, 700000);
  EXPECT_NEAR(gpu.peak_fp32_flops(), 66.9e12, 0.1e12);
  EXPECT_EQ(gpu.ecc, true);
  EXPECT_EQ(gpu.mig, false);
  EXPECT_EQ(survey.gpus[1].index, 1);
  EXPECT_EQ(survey.gpus[1].mig, std::nullopt) << "this device does not know the question";
}

TEST_F(GpuTest, DistinguishesMissingLibraryDriverAndDevice) {
  setenv("FAKE_NVML", "none", 1);
  EXPECT_EQ(survey_gpus().status, NvmlStatus::kNoDevice);
  setenv("FAKE_NVML", "broken", 1);
  EXPECT_EQ(survey_gpus().status, NvmlStatus::kNoDriver);
  setenv("LABREPORT_NVML", "", 1);
  EXPECT_EQ(survey_gpus().status, NvmlStatus::kNoLibrary);
  setenv("LABREPORT_NVML", "/nowhere/libnvidia-ml.so.1", 1);
  EXPECT_EQ(survey_gpus().status, NvmlStatus::kNoLibrary);
}

/// Returns the blocked signals of every thread but this one, from /proc.
std::vector<std::uint64_t> masks_of_other_threads() {
  std::vector<std::uint64_t> masks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string word; status >> word;) {
      if (word == "SigBlk:") status >> std::hex >> masks.emplace_back();
    }
  }
  return masks;
}

TEST_F(GpuTest, ThreadsOfTheDriversLibraryTakeNoSignals) {
  setenv("FAKE_NVML", "threads", 1);
  survey_gpus();
  const auto masks = masks_of_other_threads();
  ASSERT_FALSE(masks.empty());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    for (const std::uint64_t mask : masks) {
      EXPECT_TRUE(mask & (std::uint64_t{1} << (signal - 1))) << strsignal(signal);
    }
  }
}

TEST(BrokenDriver, IsAnErrorOnlyWhereTheKernelShowsADevice) {
  GpuSurvey survey;
  survey.problem = "NVIDIA's driver is installed but not loaded";
  EXPECT_NO_THROW(refuse_broken_driver(survey));
  survey.kernel_shows_device = true;
  try {
    refuse_broken_driver(survey);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("not loaded"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("--preset demo"), std::string::npos);
  }
}

/// Returns the visible GPUs, "0 1", followed by a bar and the word that was ignored.
std::string visible(const char* variable) {
  const VisibleGpus chosen = visible_gpus(survey_gpus().gpus, variable);
  std::string text;
  for (const Gpu& gpu : chosen.gpus) text += (text.empty() ? "" : " ") + gpu.label();
  return chosen.ignored_word ? text + "|" + *chosen.ignored_word : text;
}

TEST_F(GpuTest, VisibleDevicesFollowTheVariablesOrder) {
  EXPECT_EQ(visible(nullptr), "0 1");
  EXPECT_EQ(visible("1,GPU-1111"), "1 0");
  EXPECT_EQ(visible(" 1 , 0"), "1 0");
  EXPECT_EQ(visible("GPU-22222222-bbbb"), "1");
  EXPECT_EQ(visible("0,7,1"), "0|7") << "what follows an unknown word is ignored";
  EXPECT_EQ(visible("0,0"), "0|0") << "so is a device that is named again";
  EXPECT_EQ(visible("GPU-"), "|GPU-") << "two begin so";
  EXPECT_EQ(visible("GPU-1111x"), "|GPU-1111x");
}

TEST_F(GpuTest, DevicesAreHiddenOnPurposeByWordsForNone) {
  const auto all = survey_gpus().gpus;
  for (const char* none : {"", "-1", "NoDevFiles", "none"}) {
    EXPECT_TRUE(visible_gpus(all, none).are_hidden_on_purpose()) << none;
  }
  EXPECT_FALSE(visible_gpus(all, "7").are_hidden_on_purpose());
  EXPECT_FALSE(visible_gpus(all, "0,-1").are_hidden_on_purpose());
}

TEST_F(GpuTest, ADividedGpuStandsForItsSlices) {
  setenv("FAKE_NVML_SLICES", "3", 1);
  EXPECT_EQ(visible(nullptr), "0:0 0:1 0:2 1");
  EXPECT_EQ(visible("0"), "0:0 0:1 0:2");
  EXPECT_EQ(visible("GPU-1111"), "0:0 0:1 0:2");
  EXPECT_EQ(visible("MIG-33333333-dddd,1"), "0:1 1");
  EXPECT_EQ(visible("MIG-4"), "0:2");
  EXPECT_EQ(visible("MIG-3333"), "|MIG-3333") << "two begin so";
}

TEST_F(GpuTest, ASliceHasItsOwnMemoryAndTheLimitsOfItsGpu) {
  setenv("FAKE_NVML_SLICES", "1", 1);
  const Gpu slice = survey_gpus().gpus.at(0);
  EXPECT_EQ(slice.name, "Fake H200 MIG 1g.18gb");
  EXPECT_EQ(slice.uuid, "MIG-33333333-cccc");
  EXPECT_EQ(slice.whole_gpu_uuid, "GPU-11111111-aaaa");
  EXPECT_EQ(slice.memory_bytes, 18LL << 30);
  EXPECT_EQ(slice.compute_capability(), "9.0");
  EXPECT_EQ(slice.arithmetic_cores, 16896 * 18 / 141) << "18 of the GPU's 141 GiB";
  EXPECT_EQ(slice.max_sm_clock_mhz, 1980);
  EXPECT_EQ(slice.mig, true);
  EXPECT_EQ(slice.refusal(), std::nullopt);
  const auto monitor = GpuMonitor::open(slice.uuid);
  ASSERT_NE(monitor, nullptr);
  EXPECT_EQ(monitor->snapshot().sm_clock_mhz, 1755);
  EXPECT_EQ(monitor->snapshot().thermal_slowdown_ns, 70);
  EXPECT_EQ(driver_uuid("33333333-cccc"), slice.uuid) << "CUDA tells the digits alone";
  EXPECT_EQ(driver_uuid("11111111-aaaa"), slice.whole_gpu_uuid);
}

std::string refusal_of_first() { return survey_gpus().gpus.at(0).refusal().value_or("none"); }

TEST_F(GpuTest, UnusableGpusAreRefusedWithTheRemedy) {
  using testing::HasSubstr;
  EXPECT_EQ(refusal_of_first(), "none");
  setenv("FAKE_NVML_SLICES", "0", 1);
  EXPECT_THAT(refusal_of_first(), HasSubstr("is in MIG mode and has no slice; "));
  unsetenv("FAKE_NVML_SLICES");
  setenv("FAKE_NVML_MODE", "2", 1);
  EXPECT_THAT(refusal_of_first(), HasSubstr("is in compute mode Prohibited; "));
  setenv("FAKE_NVML_MODE", "3", 1);
  EXPECT_EQ(refusal_of_first(), "none") << "one process may, and none does";
  setenv("FAKE_NVML_PROCESSES", "1", 1);
  EXPECT_THAT(refusal_of_first(), HasSubstr("exclusive compute mode and another process has it"));
}

TEST_F(GpuTest, OtherProcessesAndADisplayDisturb) {
  EXPECT_EQ(survey_gpus().gpus.at(0).disturbance(), "");
  setenv("FAKE_NVML_DISPLAY", "1", 1);
  EXPECT_EQ(survey_gpus().gpus.at(0).disturbance(),
            "GPU 0 drives a display: what draws there takes time and memory");
  setenv("FAKE_NVML_PROCESSES", "1", 1);
  EXPECT_EQ(survey_gpus().gpus.at(0).disturbance(),
            "GPU 0 is in use by 1 other process: times and memory will suffer");
}

TEST_F(GpuTest, LooksAtClocksAndCumulativeSlowdowns) {
  const auto monitor = GpuMonitor::open("GPU-11111111-aaaa");
  ASSERT_NE(monitor, nullptr);
  const GpuState state = monitor->snapshot();
  EXPECT_EQ(state.sm_clock_mhz, 1755);
  EXPECT_EQ(state.memory_clock_mhz, 3201);
  EXPECT_EQ(state.temperature_c, 41);
  EXPECT_EQ(state.thermal_slowdown_ns, 70);
  EXPECT_EQ(state.hardware_slowdown_ns, 9) << "one of two counters is known";
  EXPECT_EQ(state.power_slowdown_ns, 5000);
  EXPECT_EQ(state.used_bytes, 1LL << 30);
  EXPECT_EQ(GpuMonitor::open("GPU-3"), nullptr);
}

TEST_F(GpuTest, CountsOtherProcessesAlsoWhereAContainerHidesNumbers) {
  const auto monitor = GpuMonitor::open("GPU-11111111-aaaa");
  ASSERT_NE(monitor, nullptr);
  setenv("FAKE_NVML_PROCESSES", "self", 1);
  EXPECT_EQ(monitor->other_process_count(true), 1);
  setenv("FAKE_NVML_PROCESSES", "3", 1);
  EXPECT_EQ(monitor->other_process_count(true), 2) << "one of the three is this process";
  EXPECT_EQ(monitor->other_process_count(false), 3);
  setenv("FAKE_NVML_PROCESSES", "0", 1);
  EXPECT_EQ(monitor->other_process_count(true), std::nullopt) << "this process itself is hidden";
}

TEST(UuidHash, IsSixteenHexDigitsAndHidesTheUuid) {
  const std::string hash = uuid_hash("GPU-11111111-aaaa");
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(hash, uuid_hash("GPU-11111111-aaaa"));
  EXPECT_NE(hash, uuid_hash("GPU-11111111-aaab"));
  EXPECT_EQ(uuid_hash(""), "");
}

}  // namespace
}  // namespace labreport::gpu_test
