// Tests in which order two processes sum tensors of several sizes.
#include "measure/catalog.h"

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "engine/not_offered.h"
#include "engine/rank_processes.h"
#include "plan/collectives.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::all_reduce_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing_ranks::own_rank;
using testing_ranks::store_path;

constexpr std::int64_t kCalls = 5;  // so few that no machine is too slow for them

std::mutex all_reduced_mutex;
/// Bytes of each all-reduce over Gloo, without barriers, which sum one element.
std::vector<std::int64_t> all_reduced_bytes;

std::unique_ptr<at::ObserverContext> record_all_reduce(const at::RecordFunction& call) {
  if (std::string_view(call.name()) != "gloo:all_reduce") return nullptr;
  const auto bytes = static_cast<std::int64_t>(call.inputs()[0].toTensor().nbytes());
  const std::lock_guard lock(all_reduced_mutex);
  if (bytes > 4) all_reduced_bytes.push_back(bytes);
  return nullptr;
}

/// Returns, by size, the number of calls in each visit: a series of calls with that size.
std::map<std::int64_t, std::vector<std::int64_t>> calls_by_visit() {
  std::map<std::int64_t, std::vector<std::int64_t>> calls;
  std::int64_t last_bytes = 0;
  for (const std::int64_t bytes : all_reduced_bytes) {
    if (bytes != last_bytes) calls[bytes].push_back(0);
    ++calls[bytes].back();
    last_bytes = bytes;
  }
  return calls;
}

LaunchRequest make_request() {
  LaunchRequest request;
  request.spec.kind = CellKind::kAllReduce;
  request.spec.device = DeviceKind::kCpu;
  request.spec.ranks = Ranks{2, Collectives::kGloo};
  request.spec.largest_bytes = 8192;
  request.spec.warmup = kCalls;
  request.spec.steps = kCalls;
  request.rendezvous = Rendezvous{std::atoi(own_rank()), store_path().string(), 60};
  return request;
}

TEST(AllReduce, MeasuresAllSizesInEachRound) {
  if (own_rank() == nullptr) return testing_ranks::start_ranks(2);
  at::addGlobalCallback(at::RecordFunctionCallback(record_all_reduce).needsInputs(true));
  Launch launch;
  try {
    launch = measure_all_reduce(make_request());
  } catch (const NotOffered& reason) {
    GTEST_SKIP() << reason.what();
  }
  ASSERT_THAT(calls_by_visit(), SizeIs(all_reduce_sizes(8192).size()));
  for (const auto& [bytes, calls] : calls_by_visit()) {
    EXPECT_THAT(calls, ElementsAre(1, 2, 2, 2, 2, 2))
        << bytes << ": the check, then a warm-up and a timed call a round";
  }
  EXPECT_EQ(launch.find_condition(metric::kCollectives, metric::kRounds)->number(), 5);
  for (const MeasuredRow& row : measured_rows(launch, metric::kAllReduce)) {
    EXPECT_EQ(row.number(column::kCount), kCalls);
  }
}

}  // namespace
}  // namespace labreport::all_reduce_test
