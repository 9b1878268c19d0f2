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

constexpr double kNoFaster =
    0.95;                      // Kernels count as faster only below this share of their FP32 time.
constexpr double kHalf = 0.5;  // Least share of log(growth) that a cause must explain.

using Pairs = std::vector<Pair>;
using WhichPass = Pass Network::*;

std::string words_of(const Pair& pair, WhichPass pass) {
  const Ratio speedup = *pair.speedup(pass);
  return certain_ratio(speedup.value, speedup.deviation);
}

Trend trend(const Pairs& pairs, WhichPass pass) {
  return trend_of(each(pairs, [pass](const Pair& pair) { return *pair.speedup(pass); }));
}

/// True if the larger network's pass has a larger speedup because GEMMs, the only kernels that get
/// faster, take more of its FP32 time. To check it, the smaller network's speedups of GEMMs and of
/// other kernels are applied to the larger network's FP32 times; this has to explain at least half
/// of the growth (`kHalf`).
bool mix_explains(const Pair& smaller, const Pair& larger, WhichPass pass) {
  for (const Pair* pair : {&smaller, &larger}) {
    const auto &fp32 = (pair->fp32->*pass).kernels, &other = (pair->other->*pass).kernels;
    if (!fp32 || !other || other->gemms <= 0 || other->gemms >= kNoFaster * fp32->gemms ||
        other->rest() < kNoFaster * fp32->rest())
      return false;
  }
  const KernelTime &small = *(smaller.fp32->*pass).kernels, &large = *(larger.fp32->*pass).kernels;
  const KernelTime& gained = *(smaller.other->*pass).kernels;
  const double by_mix = large.total() / (large.gemms * gained.gemms / small.gemms +
                                         large.rest() * gained.rest() / small.rest());
  const double growth = larger.speedup(pass)->value / smaller.speedup(pass)->value;
  return large.gemm_share() > small.gemm_share() &&
         std::log(by_mix / (small.total() / gained.total())) >= kHalf * std::log(growth);
}

/// Sets the trend of speedups with size, and its reason in the first pass whose speedup grows.
/// Every pair must have times of all `passes`.
void set_trend(Facts& facts, const Pairs& pairs, const std::vector<WhichPass>& passes) {
  const auto growing =
      only(passes, [&](WhichPass pass) { return trend(pairs, pass) == Trend::kGrows; });
  const bool forward = !growing.empty() && growing.front() == &Network::forward;
  const bool all = growing.size() == passes.size();
  const auto share = [&](const Pair& pair) {
    return (pair.fp32->*growing.front()).kernels->gemm_share();
  };
  const bool by_gemms = !growing.empty() && std::ranges::all_of(growing, [&](WhichPass pass) {
    return mix_explains(pairs.front(), pairs.back(), pass);
  });
  facts.flag("trend", pairs.size() > 1);
  facts.flag("both_grow", !growing.empty() && all);
  facts.flag("forward_grows", forward && !all);
  facts.flag("backward_grows", !growing.empty() && !forward);
  facts.flag("no_trend", growing.empty() && pairs.size() > 1);
  facts.when("by_gemms", by_gemms,
             by_gemms ? Facts()
                            .set("small_share", share(pairs.front()), {Notation::kPercent})
                            .set("large_share", share(pairs.back()), {Notation::kPercent})
                            .set("pass", forward ? "forward" : "backward")
                      : Facts());
  const auto bound = only(pairs, [](const Pair& pair) {
    return pair.other->forward.launch_bound.value_or(false) ||
           pair.other->backward.launch_bound.value_or(false);
  });
  facts.when("launch_bound", !bound.empty(),
             Facts()
                 .set("sizes", join_words(each(bound, &Pair::size)))
                 .set("precision", pairs.front().precision()));
  facts.flag("unexplained", !growing.empty() && !by_gemms && bound.empty());
}

/// Describes the pairs that have both passes, or, if there are none, those with a forward pass.
std::optional<Facts> compared_facts(const Pairs& all) {
  const Pairs forward = compared_pairs(all, &Network::forward);
  if (forward.empty()) return std::nullopt;
  const Pairs both = compared_pairs(forward, &Network::backward);
  const Pairs& pairs = both.empty() ? forward : both;
  const Pair &first = pairs.front(), &last = pairs.back();
  const std::string precision = first.precision();
  Facts facts;
  facts.set("setting", precision == "TF32" ? precision : precision + " autocast");
  facts.flag("one", pairs.size() == 1).flag("several", pairs.size() > 1);
  facts.set("first_size", first.size()).set("last_size", last.size());
  facts.set("forward_first", words_of(first, &Network::forward));
  facts.set("forward_last", words_of(last, &Network::forward));
  facts.when("backward", !both.empty(), "range",
             both.empty() ? ""
                          : from_to(words_of(first, &Network::backward),
                                    words_of(last, &Network::backward)));
  std::vector<WhichPass> passes{&Network::forward};
  if (!both.empty()) passes.push_back(&Network::backward);
  set_trend(facts, pairs, passes);
  return facts;
}

/// The training steps whose time synchronizing after each phase changes by more than a tenth.
std::vector<Facts> changed_by_synchronizing(const Pairs& pairs) {
  constexpr double kTenth = 0.1;
  constexpr Notation kThree{Notation::kSignificant, 3};
  std::vector<Facts> list;
  for (const Pair& pair : compared_pairs(pairs, &Network::step)) {
    for (const Network* network : {pair.fp32, pair.other}) {
      const auto step = timed_launch(*network->group, Mode::kTrainStep);
      const auto synced = step->ms_after_warmup(metric::kSynced, metric::kTotal);
      if (synced.empty()) continue;
      const double once = mean(network->step.ms), each = mean(synced);
      if (std::abs(each / once - 1) <= kTenth) continue;
      list.push_back(Facts()
                         .set("size", network->size())
                         .set("precision", network->precision())
                         .set("once", once, kThree)
                         .set("each", each, kThree));
    }
  }
  return list;
}

}  // namespace

Facts speedup_facts(const RunView& view, const Pairs& pairs) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string precision = pairs.front().precision();
  const auto compared = compared_facts(pairs);
  const auto shaded = [](const Pair& pair) {
    return pair.other->bound && *pair.other->bound != Bound::kDevice;
  };
  Facts facts;
  facts.set("precision", precision).flag("gpu", view.on_gpu());
  facts.flag("nothing", !compared).when("compared", compared);
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  facts.flag("shaded", std::ranges::any_of(compared_pairs(pairs, &Network::forward), shaded));
  facts.list("synchronizing",
             view.on_gpu() ? changed_by_synchronizing(pairs) : std::vector<Facts>());
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
