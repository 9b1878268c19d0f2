#include "measure/catalog.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>

#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/precision.h"
#include "measure/limits/sustained_time.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr Precision kPrecisions[] = {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                     Precision::kFp16};

/// Sizes that reach the device's full rates, fit its memory, and take about ten seconds in total.
struct Workload {
  std::int64_t matrix_side = 0;  ///< Number of rows, and of columns.
  std::int64_t copy_bytes = 0;   ///< Several times any level-2 cache.
  SustainedOptions sustained;
};

Workload choose_workload(const Device& device) {
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  if (device.kind == DeviceKind::kCpu) return {768, kGibibyte / 4, {300'000'000, 5}};
  if (device.memory_bytes < 8 * kGibibyte) return {4096, kGibibyte / 2, {}};
  return {8192, kGibibyte, {}};
}

std::vector<double> rates_per_s(double work, const std::vector<double>& durations_ns) {
  std::vector<double> result;
  for (const double ns : durations_ns) result.push_back(work * kNanosecondsPerSecond / ns);
  return result;
}

Metric rate_metric(std::string_view tag, std::string_view name, const char* unit,
                   std::vector<double> samples) {
  return {std::string(tag), std::string(name), unit, Samples(std::move(samples)), ""};
}

Metric matrix_rate(Precision precision, c10::Device device, const Workload& workload) {
  if (device.is_cpu() && (precision == Precision::kTf32 || precision == Precision::kFp16)) {
    return absent_metric(metric::kMatrixRate, name(precision), "flop/s", "not measured on a CPU");
  }
  set_tf32(precision);
  const auto options = at::TensorOptions().device(device).dtype(
      autocast_dtype(precision).value_or(c10::ScalarType::Float));
  const std::int64_t n = workload.matrix_side;
  const at::Tensor a = at::randn({n, n}, options);
  const at::Tensor b = at::randn({n, n}, options);
  at::Tensor product = at::empty({n, n}, options);
  const auto durations_ns =
      sustained_ns(device, workload.sustained, [&] { at::mm_out(product, a, b); });
  const auto side = static_cast<double>(n);
  return rate_metric(metric::kMatrixRate, name(precision), "flop/s",
                     rates_per_s(2 * side * side * side, durations_ns));
}

Metric copy_rate(c10::Device device, const Workload& workload) {
  const auto options = at::TensorOptions().device(device).dtype(at::kByte);
  const at::Tensor from = at::empty({workload.copy_bytes}, options).fill_(1);
  at::Tensor to = at::empty({workload.copy_bytes}, options).fill_(0);
  const auto durations_ns = sustained_ns(device, workload.sustained, [&] { to.copy_(from); });
  return rate_metric(metric::kCopy, metric::kBandwidth, "B/s",
                     rates_per_s(2 * static_cast<double>(workload.copy_bytes), durations_ns));
}

}  // namespace

Launch measure_limits(const LaunchRequest& request) {
  const c10::NoGradGuard no_grad;
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  const c10::Device device = torch_device(request.spec.device);
  const Workload workload = choose_workload(describe_device(request.spec.device));
  Conditions conditions(request.spec.device);
  conditions.begin();
  Launch launch;
  for (const Precision precision : kPrecisions) {
    launch.metrics.push_back(matrix_rate(precision, device, workload));
  }
  set_tf32(Precision::kFp32);
  launch.metrics.push_back(copy_rate(device, workload));
  conditions.end();
  launch.conditions = conditions.metrics();
  return launch;
}

}  // namespace labreport
