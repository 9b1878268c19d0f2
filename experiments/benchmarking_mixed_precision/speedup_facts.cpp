// The values of part (c)'s sentences: the speedups of the largest and of the smallest network, why
// speedups grow with size, and the times that the CPU sets.
#include <cmath>

#include "base/format.h"
#include "base/gpu.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

// Kernels count as faster only below this fraction of their FP32 time.
constexpr double kFasterBelow = 0.95;
constexpr double kMinExplainedFraction = 0.5;

/// A speedup of times that the CPU sets has two digits, because it differs between machines.
std::string speedup_words(const PrecisionPair& pair, PassOfNetwork pass) {
  const Ratio speedup = *pair.speedup(pass);
  return pair.is_of_device() ? certain_ratio(speedup.value, speedup.deviation)
                             : format_significant(speedup.value, 2);
}

double kernel_speedup(const PrecisionPair& pair) {
  return pair.fp32->forward.kernels->total_ms() / pair.other->forward.kernels->total_ms();
}

/// True if the kernels of the larger network's forward pass have a larger speedup because GEMMs,
/// the only kernels that get faster, take more of their FP32 time. To check it, the smaller
/// network's speedups of GEMMs and of other kernels are applied to the larger network's FP32 times.
/// The speedup so predicted has to explain `kMinExplainedFraction` of the growth, by logarithms.
bool gemm_fraction_explains(const PrecisionPair& smaller, const PrecisionPair& larger) {
  for (const PrecisionPair* pair : {&smaller, &larger}) {
    const KernelTimes &fp32 = *pair->fp32->forward.kernels, &other = *pair->other->forward.kernels;
    if (other.gemms_ms <= 0 || other.gemms_ms >= kFasterBelow * fp32.gemms_ms ||
        other.non_gemms_ms() < kFasterBelow * fp32.non_gemms_ms())
      return false;
  }
  const KernelTimes& small_fp32 = *smaller.fp32->forward.kernels;
  const KernelTimes& small_other = *smaller.other->forward.kernels;
  const KernelTimes& large_fp32 = *larger.fp32->forward.kernels;
  const double predicted_ms =
      large_fp32.gemms_ms * small_other.gemms_ms / small_fp32.gemms_ms +
      large_fp32.non_gemms_ms() * small_other.non_gemms_ms() / small_fp32.non_gemms_ms();
  const double predicted_speedup = large_fp32.total_ms() / predicted_ms;
  const double small_speedup = kernel_speedup(smaller);
  return large_fp32.gemm_fraction() > small_fp32.gemm_fraction() &&
         std::log(predicted_speedup / small_speedup) >=
             kMinExplainedFraction * std::log(kernel_speedup(larger) / small_speedup);
}

/// Tells the share of GEMMs in FP32's forward pass of the smallest and of the largest network.
Facts share_facts(const PrecisionPairs& profiled) {
  const PrecisionPair &first = profiled.front(), &last = profiled.back();
  return Facts()
      .set("first_size", first.size_label())
      .set("last_size", last.size_label())
      .set("small_share", first.fp32->forward.kernels->gemm_fraction(), {Notation::kPercent})
      .set("large_share", last.fp32->forward.kernels->gemm_fraction(), {Notation::kPercent});
}

/// Tells why speedups grow with size. Returns nothing unless the kernels of the forward pass show
/// that the share of GEMMs is the reason. Kernels take the same time whether the CPU keeps up with
/// them or not.
std::optional<Facts> growth_facts(const PrecisionPairs& profiled) {
  if (profiled.size() < 2) return std::nullopt;
  const PrecisionPair &first = profiled.front(), &last = profiled.back();
  const auto speedups = each(
      profiled, [](const PrecisionPair& pair) { return Ratio{.value = kernel_speedup(pair)}; });
  if (trend_of(speedups) != Trend::kGrows || !gemm_fraction_explains(first, last) ||
      last.speedup(&MeasuredNetwork::forward)->value <=
          first.speedup(&MeasuredNetwork::forward)->value)
    return std::nullopt;
  return share_facts(profiled);
}

/// Tells why the smallest network is slower than in FP32. Returns nothing if it is not, if GEMMs
/// take half of some FP32 forward pass, and for TF32, which needs no casts.
std::optional<Facts> slower_facts(const PrecisionPairs& compared) {
  const PrecisionPairs profiled = only(
      compared, [](const PrecisionPair& pair) { return pair.fp32->forward.kernels.has_value(); });
  if (profiled.size() < 2 || profiled.front().precision() == "TF32" ||
      profiled.front().speedup(&MeasuredNetwork::forward)->value >= 1 ||
      std::ranges::any_of(profiled, [](const PrecisionPair& pair) {
        return pair.fp32->forward.kernels->gemm_fraction() >= 0.5;
      }))
    return std::nullopt;
  return share_facts(profiled);
}

/// Tells the speedups of the largest network, if possible one whose times the device sets, and
/// those of the smallest. `pairs` timed both passes and must not be empty.
Facts extreme_facts(const PrecisionPairs& pairs) {
  const PrecisionPairs of_device = only(pairs, &PrecisionPair::is_of_device);
  const PrecisionPair& largest = of_device.empty() ? pairs.back() : of_device.back();
  const PrecisionPair& smallest = pairs.front();
  const std::string precision = largest.precision();
  return Facts()
      .set("setting", precision == "TF32" ? precision : precision + " autocast")
      .set("size", largest.size_label())
      .set("forward", speedup_words(largest, &MeasuredNetwork::forward))
      .set("backward", speedup_words(largest, &MeasuredNetwork::backward))
      .set("smallest", smallest.other == largest.other
                           ? ""
                           : ", " + smallest.size_label() + "'s " +
                                 speedup_words(smallest, &MeasuredNetwork::forward) + " and " +
                                 speedup_words(smallest, &MeasuredNetwork::backward) + " times");
}

}  // namespace

std::string times_of_cpu(const MeasuredNetworks& networks) {
  std::vector<std::string> parts;
  for (const Bound bound : {Bound::kLaunch, Bound::kMixed}) {
    std::vector<std::string> sizes;
    for (const MeasuredNetwork& network : networks) {
      if (network.bound == bound) sizes.push_back(network.size_label());
    }
    if (sizes.empty()) continue;
    const char* times = bound == Bound::kLaunch ? "the times of "
                        : parts.empty()         ? "some times of "
                                                : "some of ";
    parts.push_back(times + join_words(sizes) + " (" + std::string(describe(bound)) + ")");
  }
  return join(parts, " and ");
}

Facts speedup_facts(const RunView& view, const std::string& precision,
                    const PrecisionPairs& compared) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string of_cpu =
      times_of_cpu(each(compared, [](const PrecisionPair& pair) { return *pair.other; }));
  const PrecisionPairs profiled = only(compared, [](const PrecisionPair& pair) {
    return pair.fp32->forward.kernels && pair.other->forward.kernels;
  });
  Facts facts;
  facts.set("precision", precision).flag("gpu", view.on_gpu());
  const auto extremes = compared.empty() ? std::nullopt : std::optional(extreme_facts(compared));
  if (extremes) facts.add(*extremes);
  const bool of_device = std::ranges::any_of(compared, &PrecisionPair::is_of_device);
  facts.when("fastest", of_device ? extremes : std::nullopt);
  const auto growth = growth_facts(profiled);
  const bool may_be_slower = !growth && of_cpu.empty();
  facts.when("growth", growth)
      .when("slower", may_be_slower ? slower_facts(compared) : std::nullopt);
  facts.when("bound", !of_cpu.empty(), "times", of_cpu).flag("shaded", !of_cpu.empty());
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
