#include "measure/catalog.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "measure/tiny_request.h"
#include "results/metric_names.h"

namespace labreport::ladder_test {
namespace {

constexpr std::size_t kSteps = 2 + 3;  // warm-up and counted

LaunchRequest cpu_request(std::optional<Variant> variant) {
  LaunchRequest request = tiny_request(CellKind::kLadder, Mode::kTrainStep, 2, 3);
  CellSpec& spec = request.spec;
  spec.model = ModelShape{.d_model = 32, .d_ff = 64, .layers = 2, .heads = 2, .vocab = 50};
  spec.context = 16;
  spec.variant = variant;
  return request;
}

std::vector<double> losses(const Launch& launch) {
  return launch.find(metric::kLosses, metric::kTotal)->numbers();
}

TEST(Ladder, TimesEachStepAndKeepsItsLoss) {
  const Launch launch = measure_ladder(cpu_request(Variant::kMatmul));
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal)->numbers().size(), kSteps);
  EXPECT_EQ(losses(launch).size(), kSteps);
  EXPECT_NEAR(losses(launch).front(), std::log(50), 0.5) << "of an untrained network";
  EXPECT_LT(losses(launch).back(), losses(launch).front()) << "the same batch again and again";
}

TEST(Ladder, CountsKernelsOfAProfiledStep) {
  const Launch launch = measure_ladder(cpu_request(Variant::kMatmul));
  EXPECT_GT(*launch.find(metric::kProfile, metric::kKernels)->number(), 100);
  EXPECT_GT(*launch.find(metric::kProfile, metric::kBusy)->number(), 0);
}

TEST(Ladder, CountsFewerKernelsAfterFusion) {
  const auto kernels = [](Variant variant) {
    return *measure_ladder(cpu_request(variant)).find(metric::kProfile, metric::kKernels)->number();
  };
  EXPECT_LT(kernels(Variant::kSdpa), kernels(Variant::kMatmul));
  EXPECT_LT(kernels(Variant::kFusedAdamW), kernels(Variant::kSdpa));
}

TEST(Ladder, HasNoCudaGraphOnACpu) {
  const Launch launch = measure_ladder(cpu_request(Variant::kCudaGraph));
  EXPECT_EQ(std::get<Skipped>(launch.outcome).reason, "a CUDA graph needs a GPU");
}

TEST(Ladder, RefusesOtherModes) {
  LaunchRequest request = cpu_request(Variant::kMatmul);
  request.spec.mode = Mode::kForward;
  EXPECT_THROW(measure_ladder(request), InputError);
}

}  // namespace
}  // namespace labreport::ladder_test
