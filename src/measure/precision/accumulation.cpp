#include "measure/catalog.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>

#include "engine/device.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::int64_t kAdditions = 1000;
constexpr double kHundredth = 0.01, kHalf = 0.5;

struct Loop {
  std::string_view name;
  c10::ScalarType sum_dtype;
  c10::ScalarType addend_dtype;
  bool casts_addend;  ///< True if the addend is converted to the sum's dtype first.
  double addend_value;
};

// The course handout has the first four loops. The BF16 sum stops growing early.
constexpr Loop kLoops[]{
    {metric::kFp32Loop, c10::kFloat, c10::kFloat, false, kHundredth},
    {metric::kFp16Loop, c10::kHalf, c10::kHalf, false, kHundredth},
    {metric::kMixedLoop, c10::kFloat, c10::kHalf, false, kHundredth},
    {metric::kCastLoop, c10::kFloat, c10::kHalf, true, kHundredth},
    {metric::kBf16Loop, c10::kBFloat16, c10::kBFloat16, false, kHundredth},
    {metric::kExactLoop, c10::kFloat, c10::kFloat, false, kHalf},
};

at::Tensor make_scalar(double value, c10::ScalarType dtype, c10::Device device) {
  return at::scalar_tensor(value, at::TensorOptions().dtype(dtype).device(device));
}

Metric running_sum_metric(std::string_view tag, const Loop& loop, c10::Device device) {
  at::Tensor sum = make_scalar(0, loop.sum_dtype, device);
  at::Tensor history =
      at::empty({kAdditions}, at::TensorOptions().dtype(loop.sum_dtype).device(device));
  for (std::int64_t i = 0; i < kAdditions; ++i) {
    const at::Tensor addend = make_scalar(loop.addend_value, loop.addend_dtype, device);
    sum += loop.casts_addend ? addend.to(loop.sum_dtype) : addend;
    history.select(0, i).copy_(sum);
  }
  const at::Tensor sums = history.to(c10::kCPU, c10::kDouble).contiguous();
  const auto* data = sums.const_data_ptr<double>();
  return {std::string(tag), std::string(loop.name), "1",
          Samples(std::vector<double>(data, data + sums.numel())), ""};
}

}  // namespace

Launch measure_accumulation(const LaunchRequest& request) {
  const c10::NoGradGuard no_grad;
  const c10::Device device = torch_device(request.spec.device);
  Launch launch;
  for (const Loop& loop : kLoops) {
    const double addend = make_scalar(loop.addend_value, loop.addend_dtype, device).item<double>();
    launch.metrics.push_back(real_metric(metric::kAddend, loop.name, "1", addend));
    launch.metrics.push_back(running_sum_metric(metric::kRunningSum, loop, device));
    if (device.is_cpu()) continue;
    launch.metrics.push_back(running_sum_metric(metric::kHostRunningSum, loop, c10::kCPU));
  }
  return launch;
}

}  // namespace labreport
