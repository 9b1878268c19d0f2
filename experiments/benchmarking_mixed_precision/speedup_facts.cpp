// The values of part (c)'s sentences: the speedups of the smallest and of the largest network, why
// speedups grow with size, and the times that the CPU sets.
#include <cmath>

#include "base/format.h"
#include "base/gpu.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

// Kernels count as faster only below this fraction of their FP32 time.
constexpr double kFasterBelow = 0.95;
constexpr double kMinExplainedFraction = 0.5;
constexpr double kMinPartFraction = 0.25;  // Replaces that of measured times if the CPU sets some.

/// A speedup of times that the CPU sets has two digits, because it differs between machines.
std::string speedup_words(const PrecisionPair& pair, PassOfNetwork pass) {
  const Ratio speedup = *pair.speedup(pass);
  return pair.is_of_device() ? certain_ratio(speedup.value, speedup.deviation)
                             : format_significant(speedup.value, 2);
}

double kernel_speedup(const PrecisionPair& pair) {
  return *pair.kernel_speedup(&MeasuredNetwork::forward);
}

double timed_speedup(const PrecisionPair& pair) {
  return pair.speedup(&MeasuredNetwork::forward)->value;
}

/// True if the kernels of the larger network's forward pass have a larger speedup because GEMMs,
/// the only kernels that get faster, take more of their FP32 time. To check it, the smaller
/// network's speedups of GEMMs and of other kernels are applied to the larger network's FP32 times.
/// The speedup so predicted has to explain `kMinExplainedFraction` of the growth, by logarithms,
/// and `min_measured_fraction` of the growth of the measured pass's speedup.
bool gemm_fraction_explains(const PrecisionPair& smaller, const PrecisionPair& larger,
                            double min_measured_fraction) {
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
  const double explained = std::log(predicted_speedup / small_speedup);
  return large_fp32.gemm_fraction() > small_fp32.gemm_fraction() &&
         explained >= kMinExplainedFraction * std::log(kernel_speedup(larger) / small_speedup) &&
         explained >=
             min_measured_fraction * std::log(timed_speedup(larger) / timed_speedup(smaller));
}

/// True if the larger network's forward pass gains more for the same reason, although no step of it
/// was profiled in the other precision: its GEMMs take more of its FP32 time. With the gains of
/// `profiled`, its FP32 times have to explain `kMinExplainedFraction` of the measured growth.
bool gemm_fraction_extends(const PrecisionPair& profiled, const PrecisionPair& larger) {
  if (!larger.fp32->forward.kernels) return false;
  const KernelTimes &fp32 = *profiled.fp32->forward.kernels,
                    &larger_fp32 = *larger.fp32->forward.kernels;
  const KernelTimes& other = *profiled.other->forward.kernels;
  const double predicted_ms =
      larger_fp32.gemms_ms * other.gemms_ms / fp32.gemms_ms +
      larger_fp32.non_gemms_ms() * other.non_gemms_ms() / fp32.non_gemms_ms();
  const double explained =
      std::log(larger_fp32.total_ms() / predicted_ms / kernel_speedup(profiled));
  const double measured = std::log(timed_speedup(larger) / timed_speedup(profiled));
  return larger_fp32.gemm_fraction() > fp32.gemm_fraction() && measured > 0 &&
         explained >= kMinExplainedFraction * measured;
}

/// Tells the share of GEMMs in FP32's forward pass of the smallest and of the largest network.
Facts share_facts(const PrecisionPair& first, const PrecisionPair& last) {
  return Facts()
      .set("first_size", first.size_label())
      .set("last_size", last.size_label())
      .set("small_share", first.fp32->forward.kernels->gemm_fraction(), {Notation::kPercent})
      .set("large_share", last.fp32->forward.kernels->gemm_fraction(), {Notation::kPercent});
}

/// Tells why speedups grow with size. Returns nothing unless the kernels of the forward pass show
/// that the share of GEMMs is the reason. Kernels take the same time whether the CPU keeps up with
/// them or not.
std::optional<Facts> growth_facts(const PrecisionPairs& compared, const PrecisionPairs& profiled) {
  if (profiled.size() < 2) return std::nullopt;
  const PrecisionPair &first = profiled.front(), &last = profiled.back();
  const auto speedups = each(
      profiled, [](const PrecisionPair& pair) { return Ratio{.value = kernel_speedup(pair)}; });
  const bool of_device = first.is_of_device();
  const std::vector<Ratio> measured{*first.speedup(&MeasuredNetwork::forward),
                                    *last.speedup(&MeasuredNetwork::forward)};
  if (trend_of(speedups) != Trend::kGrows || trend_of(measured) != Trend::kGrows ||
      !gemm_fraction_explains(first, last, of_device ? kMinExplainedFraction : kMinPartFraction))
    return std::nullopt;
  const PrecisionPair& largest = compared.back();
  if (last.other != largest.other && !gemm_fraction_extends(last, largest)) return std::nullopt;
  return share_facts(first, largest);
}

/// Tells the share of GEMMs if only FP32 was profiled, in two networks or more.
std::optional<Facts> unprofiled_facts(const PrecisionPairs& compared) {
  const PrecisionPairs profiled = only(
      compared, [](const PrecisionPair& pair) { return pair.fp32->forward.kernels.has_value(); });
  if (profiled.size() < 2 || std::ranges::any_of(profiled, [](const PrecisionPair& pair) {
        return pair.other->forward.kernels.has_value();
      }))
    return std::nullopt;
  return share_facts(profiled.front(), profiled.back());
}

/// Returns the largest network, if possible one whose times the device sets.
PrecisionPair largest_pair(const PrecisionPairs& pairs) {
  const PrecisionPairs of_device = only(pairs, &PrecisionPair::is_of_device);
  return of_device.empty() ? pairs.back() : of_device.back();
}

/// Tells the speedups from the smallest network to `largest_pair`. `pairs` timed both passes and
/// must not be empty.
Facts extreme_facts(const PrecisionPairs& pairs) {
  const PrecisionPair smallest = pairs.front(), largest = largest_pair(pairs);
  const auto speedups = [&](PassOfNetwork pass) {
    return from_to(speedup_words(smallest, pass), speedup_words(largest, pass));
  };
  const std::string precision = largest.precision();
  return Facts()
      .set("setting", precision == "TF32" ? precision : precision + " autocast")
      .set("size", largest.size_label())
      .set("sizes", from_to(smallest.size_label(), largest.size_label()))
      .set("forward", speedup_words(largest, &MeasuredNetwork::forward))
      .set("backward", speedup_words(largest, &MeasuredNetwork::backward))
      .set("forward_speedups", speedups(&MeasuredNetwork::forward))
      .set("backward_speedups", speedups(&MeasuredNetwork::backward));
}

}  // namespace

std::string times_of_cpu(const MeasuredNetworks& networks) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& how_many, const std::string& remark, auto is_wanted) {
    const auto sizes = each(only(networks, is_wanted), &MeasuredNetwork::size_label);
    const char* times = parts.empty() ? " times of " : " of ";
    if (!sizes.empty()) parts.push_back(how_many + times + join_words(sizes) + remark);
  };
  const auto is_mixed = [](const MeasuredNetwork& one) { return one.bound == Bound::kMixed; };
  add("the", " (launch-bound)",
      [](const MeasuredNetwork& one) { return one.bound == Bound::kLaunch; });
  add("some", " (mixed)",
      [&](const MeasuredNetwork& one) { return is_mixed(one) && one.is_bound_profiled; });
  add("at least some", "",
      [&](const MeasuredNetwork& one) { return is_mixed(one) && !one.is_bound_profiled; });
  return join(parts, " and ");
}

namespace {

/// Says why a profiled network is clearly slower than in FP32 if the CPU sets its time; else empty.
std::string slowdown_words(const std::string& precision, const PrecisionPairs& compared) {
  for (const PrecisionPair& pair : compared) {
    const bool is_profiled = pair.fp32->forward.kernels && pair.other->forward.kernels;
    if (pair.is_of_device() || !is_profiled) continue;
    for (const PassOfNetwork pass : {&MeasuredNetwork::forward, &MeasuredNetwork::backward}) {
      const auto speedup = pair.speedup(pass);
      if (speedup && speedup->value < 1 && speedup->is_clear())
        return "; where " + precision + " is slower, autocast adds launches";
    }
  }
  return "";
}

}  // namespace

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
  facts.set("precision", precision);
  const auto extremes = compared.empty() ? std::nullopt : std::optional(extreme_facts(compared));
  if (extremes) facts.add(*extremes);
  const bool is_headline =
      extremes && largest_pair(compared).is_of_device() && largest_pair(compared).is_clear();
  facts.when("fastest", is_headline ? extremes : std::nullopt)
      .when("growth", growth_facts(compared, profiled))
      .when("unprofiled", unprofiled_facts(compared))
      .when("bound", !of_cpu.empty(),
            Facts().set("cpu", of_cpu).set("slowdown", slowdown_words(precision, compared)));
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
