// The real program, as the front end starts it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

LaunchRequest tiny_request() {
  LaunchRequest request;
  request.launch = 2;
  request.spec = {.kind = CellKind::kTiming,
                  .device = DeviceKind::kCpu,
                  .size = "tiny",
                  .model = ModelShape{16, 24, 1, 2, 30},
                  .context = 8,
                  .batch = 2,
                  .precision = Precision::kBf16,
                  .mode = Mode::kTrainStep,
                  .warmup = 1,
                  .steps = 2};
  return request;
}

class WorkerTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// The exit status; stderr's text in `said_`.
  int run(const std::string& arguments) {
    const std::string errors = (folder_ / "stderr").string();
    const std::string command =
        std::string(LABREPORT_BIN_DIR) + "/labreport-worker " + arguments + " 2> " + errors;
    const int status = std::system(command.c_str());
    said_ = read_file(errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int measure(const std::string& request) {
    write_atomically(folder_ / "request.json", request);
    return run("--request " + (folder_ / "request.json").string() + " --result " +
               (folder_ / "result.json").string());
  }

  LaunchReport report() const {
    return report_from_json(read_file(folder_ / "result.json"), "result.json");
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string said_;
};

TEST_F(WorkerTest, AnswersARequestWithAValidReport) {
  const LaunchRequest request = tiny_request();
  ASSERT_EQ(measure(to_json(request)), 0) << said_;
  const LaunchReport answer = report();
  EXPECT_EQ(answer.cell_id, cell_id(request.spec));
  EXPECT_EQ(answer.launch, 2);
  EXPECT_TRUE(is_ok(answer.body.outcome)) << describe(answer.body.outcome);
  EXPECT_EQ(answer.device.kind, DeviceKind::kCpu);
  EXPECT_FALSE(answer.software.libtorch.empty());
  ASSERT_TRUE(answer.body.find("step", "total"));
  EXPECT_EQ(answer.body.find("step", "total")->numbers().size(), 3u);
  EXPECT_TRUE(answer.body.find("start-up", "first_kernel")->number());
}

TEST_F(WorkerTest, AModelBeyondAllMemoryIsAnOutcome) {
  LaunchRequest request = tiny_request();
  request.spec.model = ModelShape{1 << 22, 64, 1, 1, 20'000'000};
  ASSERT_EQ(measure(to_json(request)), 0) << said_;
  const Outcome outcome = report().body.outcome;
  ASSERT_TRUE(std::holds_alternative<OutOfMemory>(outcome)) << describe(outcome);
  EXPECT_EQ(std::get<OutOfMemory>(outcome).phase, "model");
  EXPECT_EQ(std::get<OutOfMemory>(outcome).requested_bytes, (std::int64_t{4} << 22) * 20'000'000);
}

TEST_F(WorkerTest, AnErrorInTheCellIsAnOutcomeWithItsMessage) {
  LaunchRequest request = tiny_request();
  request.spec.model->heads = 3;
  ASSERT_EQ(measure(to_json(request)), 0) << said_;
  const Outcome outcome = report().body.outcome;
  EXPECT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_NE(describe(outcome).find("3 heads"), std::string::npos) << describe(outcome);
}

TEST_F(WorkerTest, ABadRequestIsOneLineAndStatusTwo) {
  for (const std::string text : {"", "{", "[]", R"({"kind": "timing"})"}) {
    EXPECT_EQ(measure(text), 2) << text;
    EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << said_;
    EXPECT_NE(said_.find("request.json"), std::string::npos) << said_;
    EXPECT_FALSE(fs::exists(folder_ / "result.json"));
  }
}

TEST_F(WorkerTest, BadUsageIsOneLineAndStatusTwo) {
  EXPECT_EQ(run("--frobnicate"), 2);
  EXPECT_NE(said_.find("'--frobnicate'; usage:"), std::string::npos) << said_;
  EXPECT_EQ(run("--request " + (folder_ / "missing").string() + " --result x"), 2);
  EXPECT_NE(said_.find("missing"), std::string::npos) << said_;
}

TEST_F(WorkerTest, AnUnwritableResultIsNoSilentSuccess) {
  write_atomically(folder_ / "request.json", to_json(tiny_request()));
  EXPECT_EQ(run("--request " + (folder_ / "request.json").string() + " --result " +
                (folder_ / "nowhere" / "result.json").string()),
            2);
  EXPECT_NE(said_.find("nowhere"), std::string::npos) << said_;
}

TEST_F(WorkerTest, ADeviceThatCannotStartIsStatusThreeAndAnOutcome) {
  LaunchRequest request = tiny_request();
  request.spec.device = DeviceKind::kCuda;
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);  // hides what there may be
  const int status = measure(to_json(request));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(status, 3) << said_;
  EXPECT_TRUE(std::holds_alternative<Failed>(report().body.outcome));
  EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << said_;
}

TEST_F(WorkerTest, TellsItsVersions) {
  const std::string out = (folder_ / "versions").string();
  EXPECT_EQ(run("--version > " + out), 0);
  EXPECT_NE(read_file(out).find("\"libtorch\":\""), std::string::npos);
}

}  // namespace
}  // namespace labreport
