// The values of part (c)'s sentences: the speedup of the largest network whose times the device
// sets, the trend that the profiled kernels show with size, its reason, and what the CPU sets.
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

std::string speedup_words(const PrecisionPair& pair, PassOfNetwork pass) {
  const Ratio speedup = *pair.speedup(pass);
  return certain_ratio(speedup.value, speedup.deviation);
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

/// Tells how the speedup of the forward pass's kernels changes with size. Kernels take the same
/// time whether the CPU keeps up with them or not. `pairs` are at least two profiled ones.
Facts growth_facts(const PrecisionPairs& pairs) {
  const PrecisionPair &first = pairs.front(), &last = pairs.back();
  const auto gemm_fraction = [](const PrecisionPair& pair) {
    return pair.fp32->forward.kernels->gemm_fraction();
  };
  const bool grows = trend_of(each(pairs, [](const PrecisionPair& pair) {
                       return Ratio{.value = kernel_speedup(pair)};
                     })) == Trend::kGrows;
  return Facts()
      .flag("grows", grows)
      .set("first_size", first.size_label())
      .set("last_size", last.size_label())
      .set("first", format_ratio(kernel_speedup(first)))
      .set("last", format_ratio(kernel_speedup(last)))
      .when("by_gemms", grows && gemm_fraction_explains(first, last),
            Facts()
                .set("small_share", gemm_fraction(first), {Notation::kPercent})
                .set("large_share", gemm_fraction(last), {Notation::kPercent}));
}

/// Tells the speedups of the largest network whose times the device sets; nothing if there is none.
std::optional<Facts> fastest_facts(const PrecisionPairs& pairs) {
  const PrecisionPairs of_device = only(pairs, &PrecisionPair::is_of_device);
  if (of_device.empty()) return std::nullopt;
  const PrecisionPair& largest = of_device.back();
  const std::string precision = largest.precision();
  const bool has_backward = largest.speedup(&MeasuredNetwork::backward).has_value();
  return Facts()
      .set("setting", precision == "TF32" ? precision : precision + " autocast")
      .set("size", largest.size_label())
      .set("forward", speedup_words(largest, &MeasuredNetwork::forward))
      .when("backward", has_backward, "times",
            has_backward ? speedup_words(largest, &MeasuredNetwork::backward) : "");
}

}  // namespace

std::optional<Facts> bound_facts(const MeasuredNetworks& networks) {
  const auto sizes_of = [&](Bound bound) {
    return join_words(
        each(only(networks, [=](const MeasuredNetwork& network) { return network.bound == bound; }),
             &MeasuredNetwork::size_label));
  };
  const std::string launch = sizes_of(Bound::kLaunch), mixed = sizes_of(Bound::kMixed);
  if (launch.empty() && mixed.empty()) return std::nullopt;
  return Facts()
      .when("launch", !launch.empty(), "sizes", launch)
      .when("mixed", !mixed.empty(), "sizes", mixed);
}

Facts speedup_facts(const RunView& view, const PrecisionPairs& pairs) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string precision = pairs.front().precision();
  const PrecisionPairs forward_pairs = compared_pairs(pairs, &MeasuredNetwork::forward);
  const PrecisionPairs backward_pairs = compared_pairs(forward_pairs, &MeasuredNetwork::backward);
  const PrecisionPairs& compared = backward_pairs.empty() ? forward_pairs : backward_pairs;
  const auto bound =
      bound_facts(each(compared, [](const PrecisionPair& pair) { return *pair.other; }));
  const PrecisionPairs profiled = only(compared, [](const PrecisionPair& pair) {
    return pair.fp32->forward.kernels && pair.other->forward.kernels;
  });
  Facts facts;
  facts.set("precision", precision).flag("gpu", view.on_gpu());
  facts.set("kernels", view.on_gpu() ? "kernels" : "operators");
  facts.flag("nothing", compared.empty());
  facts.when("fastest", fastest_facts(compared));
  facts.when("growth", profiled.size() > 1, profiled.size() > 1 ? growth_facts(profiled) : Facts());
  facts.when("bound", bound).flag("shaded", bound.has_value());
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
