// The real program, as the front end starts it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "plan/collectives.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/run_json.h"
#include "results/table_shapes.h"

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

/// Two real processes that find each other.
class RanksTest : public WorkerTest {
 protected:
  static LaunchRequest request(const fs::path& folder, std::int64_t rank, double timeout = 20) {
    LaunchRequest request;
    request.spec.kind = CellKind::kAllReduce;
    request.spec.device = DeviceKind::kCpu;
    request.spec.ranks = Ranks{2, Collectives::kGloo};
    request.spec.largest = 1'000'000;
    request.spec.warmup = 1;
    request.spec.steps = 3;
    request.rendezvous = Rendezvous{rank, (folder / "meeting").string(), timeout};
    return request;
  }

  std::string command(std::int64_t rank, double timeout) const {
    const fs::path asked = folder_ / (std::to_string(rank) + ".request.json");
    write_atomically(asked, to_json(request(folder_, rank, timeout)));
    return std::string(LABREPORT_BIN_DIR) + "/labreport-worker --request " + asked.string() +
           " --result " + (folder_ / (std::to_string(rank) + ".json")).string() + " 2>&1";
  }

  /// Their exit statuses; `alone`: the second never comes.
  std::vector<int> measure_both(double timeout = 20, bool alone = false) {
    std::vector<FILE*> pipes{popen(command(0, timeout).c_str(), "r")};
    if (!alone) pipes.push_back(popen(command(1, timeout).c_str(), "r"));
    std::vector<int> statuses;
    for (FILE* pipe : pipes) {
      for (int letter = fgetc(pipe); letter != EOF; letter = fgetc(pipe))
        said_ += static_cast<char>(letter);
      const int status = pclose(pipe);
      statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return statuses;
  }

  LaunchReport report_of(std::int64_t rank) const {
    const std::string name = std::to_string(rank) + ".json";
    return report_from_json(read_file(folder_ / name), name);
  }
};

TEST_F(RanksTest, SumRightAndKeepEachRanksTimes) {
  ASSERT_EQ(measure_both(), (std::vector<int>{0, 0})) << said_;
  const Launch first = report_of(0).body;
  if (std::holds_alternative<Skipped>(first.outcome)) GTEST_SKIP() << describe(first.outcome);
  ASSERT_TRUE(is_ok(first.outcome)) << describe(first.outcome);
  EXPECT_TRUE(is_ok(report_of(1).body.outcome));
  EXPECT_TRUE(report_of(1).body.tables.empty()) << "rank 0 speaks for both";
  const auto rows = measured_rows(first, metric::kAllReduce);
  ASSERT_EQ(rows.size(), 2 * all_reduce_sizes(1'000'000).size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].number(column::kRank), i % 2);
    EXPECT_EQ(rows[i].number(column::kWrong), 0);
    EXPECT_EQ(rows[i].number(column::kCount), 3);
    EXPECT_GT(rows[i].number(column::kMedianNs), 0);
  }
  for (const char* name : {"1000000.0", "1000000.1"}) {
    EXPECT_EQ(first.find(metric::kAllReduce, name)->numbers().size(), 3u);
  }
}

TEST_F(RanksTest, GiveUpWhenTheOtherNeverComes) {
  const std::vector<int> statuses = measure_both(1, /*alone=*/true);
  const Outcome outcome = report_of(0).body.outcome;
  if (std::holds_alternative<Skipped>(outcome)) GTEST_SKIP() << describe(outcome);
  EXPECT_EQ(statuses, std::vector<int>{4});
  EXPECT_EQ(std::get<TimedOut>(outcome).limit_seconds, 1);
}

TEST_F(RanksTest, OverNcclSayWhatTheMachineLacks) {
  LaunchRequest asked = request(folder_, 0);
  asked.spec.ranks->collectives = Collectives::kNccl;
  asked.rendezvous->timeout_seconds = 1;
  write_atomically(folder_ / "request.json", to_json(asked));
  run("--request " + (folder_ / "request.json").string() + " --result " +
      (folder_ / "result.json").string());
  EXPECT_FALSE(is_ok(report().body.outcome));
}

TEST_F(WorkerTest, RefusesRanksWithoutARendezvous) {
  LaunchRequest asked = tiny_request();
  asked.spec.kind = CellKind::kAllReduce;
  asked.spec.ranks = Ranks{2, Collectives::kGloo};
  asked.spec.largest = 1'000'000;
  measure(to_json(asked));
  EXPECT_NE(describe(report().body.outcome).find("rendezvous"), std::string::npos);
}

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
