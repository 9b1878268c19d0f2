// Tests the order in which sizes are measured by two processes that sum tensors.
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
using testing_ranks::meeting;
using testing_ranks::this_rank;

constexpr std::int64_t kCalls = 5;  // so few that no machine is too slow for them

/// The bytes of each all-reduce that Gloo carries from now on; barriers sum one element.
std::mutex guard;
std::vector<std::int64_t> seen;

std::unique_ptr<at::ObserverContext> see(const at::RecordFunction& call) {
  if (std::string_view(call.name()) != "gloo:all_reduce") return nullptr;
  const auto bytes = static_cast<std::int64_t>(call.inputs()[0].toTensor().nbytes());
  const std::lock_guard lock(guard);
  if (bytes > 4) seen.push_back(bytes);
  return nullptr;
}

/// The calls of each visit to a size, between which other sizes were summed; by size.
std::map<std::int64_t, std::vector<std::int64_t>> visits() {
  std::map<std::int64_t, std::vector<std::int64_t>> found;
  std::int64_t last = 0;
  for (const std::int64_t bytes : seen) {
    if (bytes != last) found[bytes].push_back(0);
    ++found[bytes].back();
    last = bytes;
  }
  return found;
}

LaunchRequest request() {
  LaunchRequest asked;
  asked.spec.kind = CellKind::kAllReduce;
  asked.spec.device = DeviceKind::kCpu;
  asked.spec.ranks = Ranks{2, Collectives::kGloo};
  asked.spec.largest_bytes = 8192;
  asked.spec.warmup = kCalls;
  asked.spec.steps = kCalls;
  asked.rendezvous = Rendezvous{std::atoi(this_rank()), meeting().string(), 60};
  return asked;
}

TEST(AllReduce, MeasuresItsSizesInTurns) {
  if (this_rank() == nullptr) return testing_ranks::start(2);
  at::addGlobalCallback(at::RecordFunctionCallback(see).needsInputs(true));
  Launch launch;
  try {
    launch = measure_all_reduce(request());
  } catch (const NotOffered& reason) {
    GTEST_SKIP() << reason.what();
  }
  ASSERT_THAT(visits(), SizeIs(all_reduce_sizes(8192).size()));
  for (const auto& [bytes, calls] : visits()) {
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
