#include "orchestrate/resume.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "orchestrate/run_fixture.h"

namespace labreport::resume_test {
namespace {

using testing::HasSubstr;

Run measured_run() {
  Run run;
  run.edition = "2025";
  run.preset = "full";
  Session session;
  session.revision = "0123456789abcdef";
  session.software.libtorch = "2.11.0+cu130";
  session.software.driver = "580.95.05";
  run.sessions = {session};
  Device device;
  device.kind = DeviceKind::kCuda;
  device.name = "NVIDIA H200";
  device.uuid_hash = "00112233aabbccdd";
  run.devices = {device};
  return run;
}

Surroundings same_surroundings() {
  return {"2025", "full", "0123456789abcdef", false, "2.11.0", "580.95.05", {"00112233aabbccdd"}};
}

std::string refusal(const Surroundings& now) {
  try {
    refuse_other_surroundings(measured_run(), now);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Resume, AcceptsEqualSurroundings) { EXPECT_EQ(refusal(same_surroundings()), ""); }

TEST(Resume, RefusesAModelThatChanged) {
  auto run = measured_run();
  run.sessions.front().model = {"Net-0a1b2c3d", "net.py:Net", "", "", ""};
  Surroundings now = same_surroundings();
  now.implementation = "Net-0a1b2c3d";
  refuse_other_surroundings(run, now);
  now.implementation = "Net-ffffffff";
  EXPECT_THROW(refuse_other_surroundings(run, now), InputError);
}

TEST(Resume, NamesWhatDiffers) {
  Surroundings now = same_surroundings();
  now.revision = "fedcba9876543210";
  EXPECT_THAT(refusal(now), HasSubstr("its revision is 0123456789ab, but now it is fedcba987654"));
  now = same_surroundings();
  now.dirty = true;
  EXPECT_THAT(refusal(now), HasSubstr("0123456789ab with uncommitted changes"));
  now = same_surroundings();
  now.libtorch = "2.12.0";
  EXPECT_THAT(refusal(now), HasSubstr("its torch is 2.11.0, but now it is 2.12.0"));
  now = same_surroundings();
  now.driver = "";
  EXPECT_THAT(refusal(now), HasSubstr("its driver is 580.95.05, but now it is none"));
  now = same_surroundings();
  now.gpu_hashes = {"ffffffffffffffff"};
  EXPECT_THAT(refusal(now), HasSubstr("another GPU (NVIDIA H200, 00112233aabbccdd)"));
  now = same_surroundings();
  now.edition = "2026";
  EXPECT_THAT(refusal(now), HasSubstr("its edition is 2025, but now it is 2026"));
  now = same_surroundings();
  now.preset = "quick";
  EXPECT_THAT(refusal(now), HasSubstr("preset"));
}

TEST(Resume, AcceptsMoreGpusThanTheRunRecorded) {
  Surroundings now = same_surroundings();
  now.gpu_hashes.emplace_back("ffffffffffffffff");
  EXPECT_EQ(refusal(now), "");
}

TEST(Resume, KeepsResultsAndForgetsFailures) {
  labreport::Run run;
  const std::vector<Outcome> outcomes{Ok{},           OutOfMemory{"forward", {}, {}, {}},
                                      Skipped{"x"},   TimedOut{1},
                                      Crashed{9, ""}, Failed{"x"}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Launch launch;
    launch.outcome = outcomes[i];
    run.find_or_add(fake_cell("cell", static_cast<std::int64_t>(i + 1))).launches = {launch};
  }
  Launch failed;
  failed.outcome = Failed{"later"};
  run.cells[0].launches.push_back(failed);
  drop_failures(run);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(run.cells[i].launches.size(), i < 3 ? 1u : 0u) << status_name(outcomes[i]);
  }
}

class ResumeTest : public RunFixture {};

TEST_F(ResumeTest, OnlyOneProcessMayChangeAFolderButSeveralMayReadIt) {
  store_.create(run_);
  {
    const RunLock reader(folder_, RunUse::kRead);
    EXPECT_NO_THROW(RunLock(folder_, RunUse::kRead));
    EXPECT_THROW(RunLock(folder_, RunUse::kChange), InputError);
  }
  const RunLock writer(folder_, RunUse::kChange);
  EXPECT_THROW(RunLock(folder_, RunUse::kChange), InputError);
  EXPECT_THROW(RunLock(folder_, RunUse::kRead), InputError);
}

}  // namespace
}  // namespace labreport::resume_test
