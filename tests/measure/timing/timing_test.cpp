#include "measure/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "measure/tiny_request.h"
#include "results/metric_names.h"

namespace labreport::timing_test {
namespace {

constexpr std::int64_t kWarmup = 2, kSteps = 3;

LaunchRequest tiny(Mode mode) { return tiny_request(CellKind::kTiming, mode, kWarmup, kSteps); }

std::vector<double> samples(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric ? metric->numbers() : std::vector<double>{};
}

TEST(Timing, KeepsEveryStepFromTheVeryFirst) {
  const Launch launch = measure_timing(tiny(Mode::kTrainStep));
  EXPECT_EQ(samples(launch, metric::kStep, metric::kTotal).size(), kWarmup + kSteps);
  EXPECT_EQ(samples(launch, metric::kStep, metric::kEnqueue).size(), kWarmup + kSteps);
  EXPECT_EQ(samples(launch, metric::kSynced, metric::kTotal).size(), kSteps);
}

TEST(Timing, PhasesAddUpToNoMoreThanTheStep) {
  const Launch launch = measure_timing(tiny(Mode::kTrainStep));
  for (const std::string_view tag : {metric::kEvent, metric::kSynced}) {
    const auto total = samples(launch, tag == metric::kEvent ? metric::kStep : tag, metric::kTotal);
    std::vector<double> sum(total.size());
    for (const std::string_view phase :
         {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
      const auto durations = samples(launch, tag, phase);
      ASSERT_EQ(durations.size(), total.size()) << tag << phase;
      std::transform(durations.begin(), durations.end(), sum.begin(), sum.begin(), std::plus<>());
    }
    for (std::size_t i = 0; i < total.size(); ++i) EXPECT_LE(sum[i], total[i]) << tag;
  }
}

TEST(Timing, SkipsSyncedStepsInModesOfOnePhase) {
  const Launch launch = measure_timing(tiny(Mode::kInference));
  EXPECT_EQ(samples(launch, metric::kEvent, metric::kForward).size(), kWarmup + kSteps);
  EXPECT_EQ(launch.find(metric::kSynced, metric::kTotal), nullptr);
  EXPECT_EQ(launch.find(metric::kEvent, metric::kBackward), nullptr);
}

TEST(Timing, ReportsStartUpTimes) {
  const Launch launch = measure_timing(tiny(Mode::kForward));
  EXPECT_GT(samples(launch, metric::kStartUp, metric::kModelBuild).at(0), 0);
  const Metric* context = launch.find(metric::kStartUp, metric::kDeviceContext);
  ASSERT_TRUE(context);
  EXPECT_FALSE(context->number());
  EXPECT_FALSE(context->reason.empty());
}

TEST(Timing, WorksWithoutWarmUp) {
  LaunchRequest request = tiny(Mode::kForwardBackward);
  request.spec.warmup = 0;
  request.spec.steps = 1;
  EXPECT_EQ(samples(measure_timing(request), metric::kStep, metric::kTotal).size(), 1u);
}

TEST(Timing, RefusesACellThatLacksAParameter) {
  LaunchRequest request = tiny(Mode::kForward);
  request.spec.context.reset();
  EXPECT_THROW(measure_timing(request), InputError);
  request = tiny(Mode::kForward);
  request.spec.steps = 0;
  EXPECT_THROW(measure_timing(request), InputError);
}

TEST(FindMeasureFunction, RefusesUnknownKinds) {
  EXPECT_EQ(find_measure_function(CellKind::kTiming), measure_timing);
  const auto unknown_kind = static_cast<CellKind>(static_cast<int>(CellKind::kLeaderboard) + 1);
  EXPECT_THROW(find_measure_function(unknown_kind), InputError);
}

}  // namespace
}  // namespace labreport::timing_test
