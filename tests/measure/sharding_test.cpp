// Tests memory, times and losses of two processes that train together.
#include "measure/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "engine/not_offered.h"
#include "engine/rank_processes.h"
#include "measure/tiny_request.h"
#include "plan/editions.h"
#include "plan/sharding.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::sharding_test {
namespace {

using testing::DoubleNear;
using testing::Pointwise;
using testing::SizeIs;
using testing_ranks::own_rank;
using testing_ranks::store_path;

LaunchRequest make_request(Sharding sharding) {
  LaunchRequest request = tiny_request(CellKind::kSharding, Mode::kTrainStep);
  request.spec.model = ModelShape{.d_model = 64, .d_ff = 128, .layers = 3, .heads = 2, .vocab = 50};
  request.spec.context = 16;
  request.spec.batch = 2;
  request.spec.ranks = Ranks{2, Collectives::kGloo};
  request.spec.sharding = sharding;
  return request;
}

template <typename Body>
void run_in_two_ranks(Sharding sharding, const Body& body) {
  if (own_rank() == nullptr) return testing_ranks::start_ranks(2);
  LaunchRequest request = make_request(sharding);
  request.rendezvous = Rendezvous{std::atoi(own_rank()), store_path().string(), 60};
  try {
    body(request.spec, measure_sharding(request));
  } catch (const NotOffered& reason) {
    GTEST_SKIP() << reason.what();
  }
}

std::int64_t number_in(const MeasuredRow& row, std::string_view column) {
  return static_cast<std::int64_t>(row.number(column).value_or(-1));
}

/// Expects exact bytes, since a CPU counts what tensors request.
void expect_memory(const CellSpec& spec, const Launch& launch) {
  const auto rows = measured_rows(launch, metric::kHeld);
  ASSERT_THAT(rows, SizeIs(2 * 5)) << "two ranks; the model, and twice two points";
  std::int64_t most_optimizer_bytes = 0;
  for (const MeasuredRow& row : rows) {
    const std::int64_t state_bytes = number_in(row, column::kParameterBytes) +
                                     number_in(row, column::kGradientBytes) +
                                     number_in(row, column::kOptimizerBytes);
    EXPECT_GE(number_in(row, column::kAllocatedBytes), state_bytes);
    EXPECT_GE(number_in(row, column::kPeakBytes), number_in(row, column::kAllocatedBytes));
    EXPECT_EQ(number_in(row, column::kParameterBytes), held_bytes(spec).parameters);
    most_optimizer_bytes = std::max(most_optimizer_bytes, number_in(row, column::kOptimizerBytes));
    const bool is_before_optimizer = row.text(column::kPoint) == metric::kBeforeOptimizer;
    if (is_before_optimizer && row.number(column::kStepNumber) == 1) {
      EXPECT_EQ(number_in(row, column::kOptimizerBytes), 0)
          << "AdamW makes its state at its first step";
      EXPECT_EQ(number_in(row, column::kGradientBytes), held_bytes(spec).gradients);
    }
  }
  EXPECT_EQ(most_optimizer_bytes, held_bytes(spec).moments);
}

void expect_times(const Launch& launch, std::initializer_list<std::string_view> phases) {
  EXPECT_THAT(launch.find(metric::kStep, metric::kTotal)->numbers(), SizeIs(2));
  for (const auto phase : phases) {
    ASSERT_NE(launch.find(metric::kSynced, phase), nullptr) << phase;
    EXPECT_THAT(launch.find(metric::kSynced, phase)->numbers(), SizeIs(2)) << phase;
  }
}

TEST(Sharding, HoldsEverythingOnEachRankWithoutShards) {
  run_in_two_ranks(Sharding::kNone, [](const CellSpec& spec, const Launch& launch) {
    if (std::string(own_rank()) != "0") {
      EXPECT_TRUE(launch.tables.empty());
      return;
    }
    expect_memory(spec, launch);
    expect_times(launch,
                 {metric::kForward, metric::kBackward, metric::kAllReduce, metric::kOptimizer});
    EXPECT_EQ(launch.find(metric::kSynced, metric::kBroadcast), nullptr);
    EXPECT_THAT(launch.find(metric::kLosses, metric::kTotal)->numbers(), SizeIs(2 + 2))
        << "warm-up and counted steps";
  });
}

TEST(Sharding, HoldsAPartOfTheOptimizersState) {
  run_in_two_ranks(Sharding::kOptimizer, [](const CellSpec& spec, const Launch& launch) {
    if (std::string(own_rank()) != "0") return;
    const std::int64_t whole_bytes = 8 * parameter_count(*spec.model);  // two FP32 moments
    EXPECT_LT(held_bytes(spec).moments, whole_bytes * 6 / 10);
    expect_memory(spec, launch);
    expect_times(launch, {metric::kOptimizer, metric::kBroadcast});
  });
}

TEST(Sharding, HoldsHalfOfTheWeightsAndRecordsWaits) {
  run_in_two_ranks(Sharding::kWeights, [](const CellSpec& spec, const Launch& launch) {
    if (std::string(own_rank()) != "0") return;
    expect_memory(spec, launch);
    expect_times(launch, {metric::kForward, metric::kBackward, metric::kAllReduce});
    const auto rows = measured_rows(launch, metric::kGathers);
    const std::size_t layers = 2 + 3 * 7;  // embedding, head, seven matrices in each block
    ASSERT_THAT(rows, SizeIs(2 * layers - 1)) << "the embedding's backward needs no weights";
    EXPECT_EQ(rows[0].text(column::kModule), "token_embeddings");
    EXPECT_EQ(rows[1].text(column::kModule), "layers.0.attn.q_proj");
    EXPECT_EQ(rows.back().text(column::kModule), "lm_head");
    for (const MeasuredRow& row : rows) {
      EXPECT_GE(number_in(row, column::kWaitNs), 0);
      EXPECT_GT(number_in(row, column::kAloneNs), 0);
    }
    EXPECT_EQ(number_in(rows[1], column::kBytes), 4 * 64 * 64);
  });
}

TEST(Sharding, RefusesOtherModesAndAMissingScheme) {
  LaunchRequest request = make_request(Sharding::kNone);
  request.spec.mode = Mode::kForward;
  EXPECT_THROW(measure_sharding(request), InputError);
  request = make_request(Sharding::kNone);
  request.spec.sharding.reset();
  EXPECT_THROW(measure_sharding(request), InputError);
}

}  // namespace
}  // namespace labreport::sharding_test
