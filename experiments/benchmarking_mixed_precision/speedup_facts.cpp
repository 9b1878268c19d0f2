// The values of part (c)'s sentences: speedups of the smallest and the largest network, their trend
// with size, and the reason that the profiles show for it.
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

/// True if the larger network's pass has a larger speedup because GEMMs, the only kernels that get
/// faster, take more of its FP32 time. To check it, the smaller network's speedups of GEMMs and of
/// other kernels are applied to the larger network's FP32 times. The speedup so predicted has to
/// explain `kMinExplainedFraction` of the growth, by logarithms.
bool gemm_fraction_explains(const PrecisionPair& smaller, const PrecisionPair& larger,
                            PassOfNetwork pass) {
  for (const PrecisionPair* pair : {&smaller, &larger}) {
    const auto &fp32 = (pair->fp32->*pass).kernels, &other = (pair->other->*pass).kernels;
    if (!fp32 || !other || other->gemms_ms <= 0 ||
        other->gemms_ms >= kFasterBelow * fp32->gemms_ms ||
        other->non_gemms_ms() < kFasterBelow * fp32->non_gemms_ms())
      return false;
  }
  const KernelTimes& small_fp32 = *(smaller.fp32->*pass).kernels;
  const KernelTimes& small_other = *(smaller.other->*pass).kernels;
  const KernelTimes& large_fp32 = *(larger.fp32->*pass).kernels;
  const double predicted_ms =
      large_fp32.gemms_ms * small_other.gemms_ms / small_fp32.gemms_ms +
      large_fp32.non_gemms_ms() * small_other.non_gemms_ms() / small_fp32.non_gemms_ms();
  const double predicted_speedup = large_fp32.total_ms() / predicted_ms;
  const double small_speedup = small_fp32.total_ms() / small_other.total_ms();
  const double growth = larger.speedup(pass)->value / smaller.speedup(pass)->value;
  return large_fp32.gemm_fraction() > small_fp32.gemm_fraction() &&
         std::log(predicted_speedup / small_speedup) >= kMinExplainedFraction * std::log(growth);
}

/// Sets the trend of speedups with size. Shares of GEMMs are of the first pass whose speedup grows.
/// Every pair must have times of all `passes`.
void set_trend(Facts& facts, const PrecisionPairs& pairs,
               const std::vector<PassOfNetwork>& passes) {
  const auto growing = only(passes, [&](PassOfNetwork pass) {
    const auto speedup = [pass](const PrecisionPair& pair) { return *pair.speedup(pass); };
    return trend_of(each(pairs, speedup)) == Trend::kGrows;
  });
  const bool forward_grows = !growing.empty() && growing.front() == &MeasuredNetwork::forward;
  const bool all_grow = growing.size() == passes.size();
  const auto gemm_fraction = [&](const PrecisionPair& pair) {
    return (pair.fp32->*growing.front()).kernels->gemm_fraction();
  };
  const bool by_gemms = !growing.empty() && std::ranges::all_of(growing, [&](PassOfNetwork pass) {
    return gemm_fraction_explains(pairs.front(), pairs.back(), pass);
  });
  facts.flag("trend", pairs.size() > 1);
  facts.flag("both_grow", !growing.empty() && all_grow);
  facts.flag("forward_grows", forward_grows && !all_grow);
  facts.flag("backward_grows", !growing.empty() && !forward_grows);
  facts.flag("no_trend", growing.empty() && pairs.size() > 1);
  facts.when("by_gemms", by_gemms,
             by_gemms ? Facts()
                            .set("small_share", gemm_fraction(pairs.front()), {Notation::kPercent})
                            .set("large_share", gemm_fraction(pairs.back()), {Notation::kPercent})
                            .set("pass", forward_grows ? "forward" : "backward")
                      : Facts());
  const auto launch_bound = only(pairs, [](const PrecisionPair& pair) {
    return pair.other->forward.launch_bound.value_or(false) ||
           pair.other->backward.launch_bound.value_or(false);
  });
  facts.when("launch_bound", !launch_bound.empty(),
             Facts()
                 .set("sizes", join_words(each(launch_bound, &PrecisionPair::size_label)))
                 .set("precision", pairs.front().precision()));
  facts.flag("unexplained", !growing.empty() && !by_gemms && launch_bound.empty());
}

/// Describes the pairs that have both passes, or, if there are none, those with a forward pass.
std::optional<Facts> compared_facts(const PrecisionPairs& all) {
  const PrecisionPairs forward_pairs = compared_pairs(all, &MeasuredNetwork::forward);
  if (forward_pairs.empty()) return std::nullopt;
  const PrecisionPairs backward_pairs = compared_pairs(forward_pairs, &MeasuredNetwork::backward);
  const PrecisionPairs& pairs = backward_pairs.empty() ? forward_pairs : backward_pairs;
  const PrecisionPair &first = pairs.front(), &last = pairs.back();
  const std::string precision = first.precision();
  Facts facts;
  facts.set("setting", precision == "TF32" ? precision : precision + " autocast");
  facts.flag("one", pairs.size() == 1).flag("several", pairs.size() > 1);
  facts.set("first_size", first.size_label()).set("last_size", last.size_label());
  facts.set("forward_first", speedup_words(first, &MeasuredNetwork::forward));
  facts.set("forward_last", speedup_words(last, &MeasuredNetwork::forward));
  facts.when("backward", !backward_pairs.empty(), "range",
             backward_pairs.empty() ? ""
                                    : from_to(speedup_words(first, &MeasuredNetwork::backward),
                                              speedup_words(last, &MeasuredNetwork::backward)));
  std::vector<PassOfNetwork> passes{&MeasuredNetwork::forward};
  if (!backward_pairs.empty()) passes.push_back(&MeasuredNetwork::backward);
  set_trend(facts, pairs, passes);
  return facts;
}

/// Lists training steps whose time changes clearly if each phase is synchronized.
std::vector<Facts> synchronizing_facts(const PrecisionPairs& pairs) {
  constexpr double kMaxIgnoredChange = 0.1;
  std::vector<Facts> list;
  for (const PrecisionPair& pair : compared_pairs(pairs, &MeasuredNetwork::step)) {
    for (const MeasuredNetwork* network : {pair.fp32, pair.other}) {
      const auto step = timed_launch(*network->group, Mode::kTrainStep);
      const auto synced_ms = step->ms_after_warmup(metric::kSynced, metric::kTotal);
      if (synced_ms.empty()) continue;
      const double once_ms = mean(network->step.times_ms), each_phase_ms = mean(synced_ms);
      if (std::abs(each_phase_ms / once_ms - 1) <= kMaxIgnoredChange) continue;
      list.push_back(Facts()
                         .set("size", network->size_label())
                         .set("precision", network->precision())
                         .set("synchronized_once_ms", once_ms, kThreeDigits)
                         .set("each", each_phase_ms, kThreeDigits));
    }
  }
  return list;
}

}  // namespace

Facts speedup_facts(const RunView& view, const PrecisionPairs& pairs) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string precision = pairs.front().precision();
  const auto compared = compared_facts(pairs);
  const auto has_launch_bound_phase = [](const PrecisionPair& pair) {
    return pair.other->bound && *pair.other->bound != Bound::kDevice;
  };
  Facts facts;
  facts.set("precision", precision).flag("gpu", view.on_gpu());
  facts.flag("nothing", !compared).when("compared", compared);
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  facts.flag("shaded", std::ranges::any_of(compared_pairs(pairs, &MeasuredNetwork::forward),
                                           has_launch_bound_phase));
  facts.list("synchronizing", view.on_gpu() ? synchronizing_facts(pairs) : std::vector<Facts>());
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
