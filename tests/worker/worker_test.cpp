// Runs the real worker as labreport starts it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "plan/collectives.h"
#include "plan/editions.h"
#include "plan/gradients.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/run_json.h"
#include "results/table_shapes.h"

namespace labreport::worker_test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kWarmup = 1, kSteps = 3;  // of the ranks

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

  /// Returns the exit status and sets `stderr_text_`.
  int run(const std::string& arguments) {
    const std::string stderr_file = (folder_ / "stderr").string();
    const std::string command =
        std::string(LABREPORT_BIN_DIR) + "/labreport-worker " + arguments + " 2> " + stderr_file;
    const int status = std::system(command.c_str());
    stderr_text_ = read_file(stderr_file);
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
  std::string stderr_text_;
};

/// Runs real ranks, each a process of the worker.
class RanksTest : public WorkerTest {
 protected:
  LaunchRequest request(std::int64_t rank, std::int64_t count, double timeout_seconds) const {
    LaunchRequest request;
    request.spec.kind = CellKind::kAllReduce;
    request.spec.device = DeviceKind::kCpu;
    request.spec.ranks = Ranks{count, Collectives::kGloo};
    request.spec.largest_bytes = largest_bytes_;
    request.spec.warmup = kWarmup;
    request.spec.steps = kSteps;
    if (scheme_) use_training_step(request.spec);
    request.rendezvous = Rendezvous{rank, (folder_ / "meeting").string(), timeout_seconds};
    return request;
  }

  /// Replaces the all-reduces by training steps with `scheme_`.
  void use_training_step(CellSpec& spec) const {
    const CellSpec tiny = tiny_request().spec;
    spec.kind = CellKind::kDataParallel;
    spec.largest_bytes.reset();
    spec.model = tiny.model;
    spec.context = tiny.context;
    spec.batch = 1;
    spec.precision = Precision::kFp32;
    spec.mode = Mode::kTrainStep;
    spec.scheme = scheme_;
    if (*scheme_ >= Scheme::kBucketed) spec.bucket_bytes = 2'000;
  }

  std::string command(const LaunchRequest& launch_request) const {
    const std::string rank = std::to_string(launch_request.rendezvous->rank);
    write_atomically(folder_ / (rank + ".request.json"), to_json(launch_request));
    return std::string(LABREPORT_BIN_DIR) + "/labreport-worker --request " +
           (folder_ / (rank + ".request.json")).string() + " --result " +
           (folder_ / (rank + ".json")).string() + " 2>&1";
  }

  /// Starts the first `started` of `count` ranks and returns their exit statuses.
  std::vector<int> measure_ranks(std::int64_t count, std::int64_t started,
                                 double timeout_seconds = 60) {
    std::vector<FILE*> pipes;
    for (std::int64_t rank = 0; rank < started; ++rank) {
      pipes.push_back(popen(command(request(rank, count, timeout_seconds)).c_str(), "r"));
    }
    std::vector<int> statuses;
    for (FILE* pipe : pipes) {
      for (int letter = fgetc(pipe); letter != EOF; letter = fgetc(pipe)) {
        stderr_text_ += static_cast<char>(letter);
      }
      const int status = pclose(pipe);
      statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return statuses;
  }

  Launch launch_of(std::int64_t rank) const {
    const std::string name = std::to_string(rank) + ".json";
    return report_from_json(read_file(folder_ / name), name).body;
  }

  std::int64_t largest_bytes_ = 1'000'000;
  std::optional<Scheme> scheme_ = {};
};

/// True if the build found no suitable headers of Gloo.
bool has_no_gloo(const Launch& launch) { return std::holds_alternative<Skipped>(launch.outcome); }

TEST_F(RanksTest, SumExactlyAndReportEachRanksTimes) {
  ASSERT_EQ(measure_ranks(2, 2), (std::vector<int>{0, 0})) << stderr_text_;
  const Launch first = launch_of(0);
  if (has_no_gloo(first)) GTEST_SKIP() << describe(first.outcome);
  ASSERT_TRUE(is_ok(first.outcome)) << describe(first.outcome);
  EXPECT_TRUE(is_ok(launch_of(1).outcome));
  EXPECT_TRUE(launch_of(1).tables.empty()) << "rank 0 speaks for both";
  const auto rows = measured_rows(first, metric::kAllReduce);
  ASSERT_EQ(rows.size(), 2 * all_reduce_sizes(1'000'000).size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].number(column::kRank), i % 2);
    EXPECT_EQ(rows[i].number(column::kWrong), 0);
    EXPECT_EQ(rows[i].number(column::kCount), kSteps);
    EXPECT_GT(rows[i].number(column::kMedianNs), 0);
  }
  for (const char* name : {"1000000.0", "1000000.1"}) {
    EXPECT_EQ(std::ssize(first.find(metric::kAllReduce, name)->numbers()), kSteps);
  }
}

TEST_F(RanksTest, SumExactlyAsFourAndAsSix) {
  largest_bytes_ = 8192;
  for (const std::int64_t count : {4, 6}) {
    fs::remove(folder_ / "meeting");
    measure_ranks(count, count);
    const Launch launch = launch_of(0);
    if (has_no_gloo(launch)) GTEST_SKIP() << describe(launch.outcome);
    ASSERT_TRUE(is_ok(launch.outcome)) << describe(launch.outcome) << stderr_text_;
    const auto rows = measured_rows(launch, metric::kAllReduce);
    EXPECT_EQ(std::ssize(rows), count * std::ssize(all_reduce_sizes(largest_bytes_)));
    for (const MeasuredRow& row : rows) EXPECT_EQ(row.number(column::kWrong), 0);
  }
}

/// Runs training steps in two ranks by each scheme.
class SchemesTest : public RanksTest, public testing::WithParamInterface<Scheme> {
 protected:
  /// Returns rank 0's launch; empty if the build has no Gloo.
  std::optional<Launch> train_in_ranks(std::int64_t count) {
    const std::vector<int> statuses = measure_ranks(count, count);
    Launch launch = launch_of(0);
    if (has_no_gloo(launch)) return std::nullopt;
    EXPECT_EQ(statuses, std::vector<int>(static_cast<std::size_t>(count), 0)) << stderr_text_;
    EXPECT_TRUE(is_ok(launch.outcome)) << describe(launch.outcome);
    return launch;
  }

  static double number(const Launch& launch, std::string_view tag, std::string_view name) {
    const Metric* metric = launch.find(tag, name);
    return metric == nullptr || metric->numbers().empty() ? -1 : metric->numbers().front();
  }
};

TEST_P(SchemesTest, TrainLikeOneProcessAndReportEachRanksTimes) {
  scheme_ = GetParam();
  const auto launch = train_in_ranks(2);
  if (!launch) GTEST_SKIP();
  const bool averages = scheme_ != Scheme::kNone;
  if (averages) {
    const double difference = number(*launch, metric::kEquality, metric::kGradients);
    EXPECT_GE(difference, 0);
    EXPECT_LE(difference, number(*launch, metric::kEquality, metric::kTolerance));
    EXPECT_EQ(number(*launch, metric::kEquality, metric::kDivergedRanks), 0)
        << "of the timed network";
  }
  const auto rows = measured_rows(*launch, metric::kRankSteps);
  ASSERT_EQ(rows.size(), 2u);
  for (const MeasuredRow& row : rows) {
    EXPECT_EQ(row.number(column::kCount), kSteps);
    EXPECT_GT(row.number(column::kMedianNs), 0);
    EXPECT_EQ(row.number(column::kCommunicationNs) > 0, averages);
    EXPECT_LE(row.number(column::kOverlapNs), row.number(column::kCommunicationNs));
  }
  EXPECT_EQ(std::ssize(launch->find(metric::kStep, metric::kTotal)->numbers()), kWarmup + kSteps);
  EXPECT_TRUE(launch_of(1).tables.empty()) << "rank 0 speaks for both";
}

TEST_P(SchemesTest, AllReduceEveryGradientOnce) {
  scheme_ = GetParam();
  const auto launch = train_in_ranks(2);
  if (!launch) GTEST_SKIP();
  const CellSpec spec = request(0, 2, 1).spec;
  EXPECT_EQ(number(*launch, metric::kAllReduceCalls, metric::kCalls), all_reduce_count(spec));
  std::int64_t communication_rows = 0;
  for (const MeasuredRow& row : measured_rows(*launch, metric::kLanes)) {
    communication_rows += row.text(column::kLane) == metric::kCommunication ? 1 : 0;
  }
  EXPECT_EQ(communication_rows, all_reduce_count(spec)) << "in the traced step";
  if (scheme_ == Scheme::kNone || scheme_ == Scheme::kReducer) return;
  EXPECT_EQ(number(*launch, metric::kAllReduceCalls, metric::kTotal),
            4 * parameter_count(*spec.model));
}

INSTANTIATE_TEST_SUITE_P(All, SchemesTest, testing::ValuesIn(kSchemes),
                         [](const auto& scheme) { return std::string(name(scheme.param)); });

/// Ranks have data of their own: with equal data, a scheme that averages nothing would pass.
TEST_F(RanksTest, EndWithEqualLossesInAllAveragingSchemes) {
  std::map<Scheme, std::vector<double>> losses;
  for (const Scheme scheme : kSchemes) {
    scheme_ = scheme;
    fs::remove(folder_ / "meeting");
    measure_ranks(2, 2);
    const Launch launch = launch_of(0);
    if (has_no_gloo(launch)) GTEST_SKIP() << describe(launch.outcome);
    losses[scheme] = launch.find(metric::kLosses, metric::kTotal)->numbers();
    ASSERT_EQ(std::ssize(losses[scheme]), kWarmup + kSteps);
    EXPECT_EQ(losses[scheme].front(), losses[Scheme::kNone].front()) << "the same data";
    const double expected_loss = losses[Scheme::kPerParameter].empty()
                                     ? losses[scheme].back()
                                     : losses[Scheme::kPerParameter].back();
    const double difference = std::abs(losses[scheme].back() / expected_loss - 1);
    if (scheme == Scheme::kNone) continue;
    EXPECT_LT(difference, 1e-5) << name(scheme);
  }
  const double separate_loss = losses[Scheme::kNone].back();
  EXPECT_GT(std::abs(losses[Scheme::kFlat].back() / separate_loss - 1), 1e-4)
      << "two ranks that train apart fit their own data";
}

TEST_F(RanksTest, TimeOutIfARankIsMissing) {
  const std::vector<int> statuses = measure_ranks(2, 1, /*timeout_seconds=*/1);
  const Launch launch = launch_of(0);
  if (has_no_gloo(launch)) GTEST_SKIP() << describe(launch.outcome);
  EXPECT_EQ(statuses, std::vector<int>{4});
  EXPECT_EQ(std::get<TimedOut>(launch.outcome).limit_seconds, 1);
}

TEST_F(RanksTest, FailOverNcclOnACpu) {
  LaunchRequest launch_request = request(0, 2, 1);
  launch_request.spec.ranks->collectives = Collectives::kNccl;
  write_atomically(folder_ / "request.json", to_json(launch_request));
  run("--request " + (folder_ / "request.json").string() + " --result " +
      (folder_ / "result.json").string());
  EXPECT_FALSE(is_ok(report().body.outcome));
}

TEST_F(WorkerTest, RefusesRanksWithoutARendezvous) {
  LaunchRequest launch_request = tiny_request();
  launch_request.spec.kind = CellKind::kAllReduce;
  launch_request.spec.ranks = Ranks{2, Collectives::kGloo};
  launch_request.spec.largest_bytes = 1'000'000;
  measure(to_json(launch_request));
  EXPECT_NE(describe(report().body.outcome).find("rendezvous"), std::string::npos);
}

TEST_F(WorkerTest, AnswersARequestWithAValidReport) {
  const LaunchRequest request = tiny_request();
  ASSERT_EQ(measure(to_json(request)), 0) << stderr_text_;
  const LaunchReport result = report();
  EXPECT_EQ(result.cell_id, cell_id(request.spec));
  EXPECT_EQ(result.launch, 2);
  EXPECT_TRUE(is_ok(result.body.outcome)) << describe(result.body.outcome);
  EXPECT_EQ(result.device.kind, DeviceKind::kCpu);
  EXPECT_FALSE(result.software.libtorch.empty());
  ASSERT_TRUE(result.body.find("step", "total"));
  EXPECT_EQ(result.body.find("step", "total")->numbers().size(), 3u);
  EXPECT_TRUE(result.body.find("start-up", "first_kernel")->number());
}

TEST_F(WorkerTest, ReportsAModelThatDoesNotFitAsOutOfMemory) {
  LaunchRequest request = tiny_request();
  request.spec.model = ModelShape{1 << 22, 64, 1, 1, 20'000'000};
  ASSERT_EQ(measure(to_json(request)), 0) << stderr_text_;
  const Outcome outcome = report().body.outcome;
  ASSERT_TRUE(std::holds_alternative<OutOfMemory>(outcome)) << describe(outcome);
  EXPECT_EQ(std::get<OutOfMemory>(outcome).phase, "model");
  EXPECT_EQ(std::get<OutOfMemory>(outcome).requested_bytes, (std::int64_t{4} << 22) * 20'000'000);
}

TEST_F(WorkerTest, ReportsACellsErrorAsFailed) {
  LaunchRequest request = tiny_request();
  request.spec.model->heads = 3;
  ASSERT_EQ(measure(to_json(request)), 0) << stderr_text_;
  const Outcome outcome = report().body.outcome;
  EXPECT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_NE(describe(outcome).find("3 heads"), std::string::npos) << describe(outcome);
}

TEST_F(WorkerTest, AnswersABadRequestWithOneLineAndStatusTwo) {
  for (const std::string text : {"", "{", "[]", R"({"kind": "timing"})"}) {
    EXPECT_EQ(measure(text), 2) << text;
    EXPECT_EQ(std::count(stderr_text_.begin(), stderr_text_.end(), '\n'), 1) << stderr_text_;
    EXPECT_NE(stderr_text_.find("request.json"), std::string::npos) << stderr_text_;
    EXPECT_FALSE(fs::exists(folder_ / "result.json"));
  }
}

TEST_F(WorkerTest, AnswersBadUsageWithStatusTwo) {
  EXPECT_EQ(run("--frobnicate"), 2);
  EXPECT_NE(stderr_text_.find("'--frobnicate'; usage:"), std::string::npos) << stderr_text_;
  EXPECT_EQ(run("--request " + (folder_ / "missing").string() + " --result x"), 2);
  EXPECT_NE(stderr_text_.find("missing"), std::string::npos) << stderr_text_;
}

TEST_F(WorkerTest, FailsIfItCannotWriteTheResult) {
  write_atomically(folder_ / "request.json", to_json(tiny_request()));
  EXPECT_EQ(run("--request " + (folder_ / "request.json").string() + " --result " +
                (folder_ / "nowhere" / "result.json").string()),
            2);
  EXPECT_NE(stderr_text_.find("nowhere"), std::string::npos) << stderr_text_;
}

TEST_F(WorkerTest, ReportsADeviceThatCannotStart) {
  LaunchRequest request = tiny_request();
  request.spec.device = DeviceKind::kCuda;
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);  // hides any GPU
  const int status = measure(to_json(request));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(status, 3) << stderr_text_;
  EXPECT_TRUE(std::holds_alternative<Failed>(report().body.outcome));
  EXPECT_EQ(std::count(stderr_text_.begin(), stderr_text_.end(), '\n'), 1) << stderr_text_;
}

TEST_F(WorkerTest, PrintsVersions) {
  const std::string out = (folder_ / "versions").string();
  EXPECT_EQ(run("--version > " + out), 0);
  EXPECT_NE(read_file(out).find("\"libtorch\":\""), std::string::npos);
}

}  // namespace
}  // namespace labreport::worker_test
