// What part (c) can say of its speedups, and of what the profiles hold against them.
#include "base/format.h"
#include "base/gpu.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr double kSlower = 0.98;     // A speedup below it is a loss.
constexpr double kLonger = 1.05;     // One time over another, to call it longer.
constexpr double kMoreGemms = 0.05;  // Of a pass.
constexpr double kHalf = 0.5;        // Of a change, to call something its reason.

using Pairs = std::vector<Pair>;
using WhichPass = Pass Network::*;
constexpr std::pair<const char*, WhichPass> kBoth[]{{"forward", &Network::forward},
                                                    {"backward", &Network::backward}};

std::string words_of(const Ratio& speedup) {
  return certain_ratio(speedup.value, speedup.deviation);
}

/// "20.18 → 14.41 ms"
std::string times_of(const Pair& pair, WhichPass pass) {
  return format_value(mean((pair.fp32->*pass).ms), {}) + " → " +
         format_value(mean((pair.other->*pass).ms), {}) + " ms";
}

/// The least and the largest speedup of a pass; nothing where it was not compared.
std::optional<Facts> range_of(const Pairs& pairs, WhichPass pass) {
  const Pairs compared = spoken_of(pairs, pass);
  if (compared.empty()) return std::nullopt;
  const auto value = [pass](const Pair& pair) { return pair.speedup(pass)->value; };
  const auto [low, high] = std::ranges::minmax_element(compared, {}, value);
  return Facts()
      .set("low", words_of(*low->speedup(pass)))
      .set("low_size", low->other->size())
      .set("low_times", times_of(*low, pass))
      .set("high", words_of(*high->speedup(pass)))
      .set("high_size", high->other->size())
      .set("high_times", times_of(*high, pass))
      .flag("several", format_ratio(value(*low)) != format_ratio(value(*high)));
}

/// "the forward pass of small and large and the backward pass of small", "both passes of small":
/// where `holds`.
template <typename Holds>
std::string passes_where(const Pairs& pairs, Holds holds) {
  const auto sizes = [&](WhichPass pass) {
    const Pairs compared = spoken_of(pairs, pass);
    const auto held = only(compared, [&](const Pair& pair) { return holds(pair, pass); });
    if (held.size() > 2 && held.size() == compared.size()) return std::string("every size");
    return join_words(each(held, &Pair::size));
  };
  const std::string forward = sizes(&Network::forward), backward = sizes(&Network::backward);
  if (!forward.empty() && forward == backward) return "both passes of " + forward;
  std::vector<std::string> passes;
  if (!forward.empty()) passes.push_back("the forward pass of " + forward);
  if (!backward.empty()) passes.push_back("the backward pass of " + backward);
  return join(passes, " and ");
}

/// Sizes whose times vary by more than what counts as steady, and by how much.
std::optional<Facts> varying(const Pairs& pairs) {
  double most = 0;
  std::vector<std::string> sizes;
  for (const Pair& pair : pairs) {
    double share = 0;
    for (const Network* side : {pair.fp32, pair.other}) {
      for (const auto& [name, pass] : kBoth) {
        share = std::max(share, variation_of((side->*pass).ms).value_or(0));
      }
    }
    if (share > kSteadyBelow) sizes.push_back(pair.size());
    most = std::max(most, share);
  }
  if (sizes.empty()) return std::nullopt;
  return Facts().set("sizes", join_words(sizes)).set("most", variation_words(most));
}

/// Of every precision that was compared, the one that answers speak of first.
std::vector<Facts> every_speed(const Pairs& pairs) {
  std::vector<Facts> list;
  for (const std::string& precision : distinct(each(pairs, &Pair::precision))) {
    const Pairs group =
        only(pairs, [&](const Pair& pair) { return pair.precision() == precision; });
    const auto forward = range_of(group, &Network::forward);
    if (!forward) continue;
    Facts& facts = list.emplace_back();
    facts.set("precision", precision);
    facts.set("setting", precision == "TF32" ? precision : precision + " autocast");
    facts.when("forward", forward).when("backward", range_of(group, &Network::backward));
    facts.when("varies", varying(group));
  }
  return list;
}

/// Whether the larger network's mix of kernels gives at least half of what its pass gains beyond
/// the smaller's: FP32's mix, with what the smaller network gains in GEMMs and in the rest.
bool mix_explains(const Pair& smaller, const Pair& larger, WhichPass pass) {
  for (const Network* network : {smaller.fp32, smaller.other, larger.fp32, larger.other}) {
    if (!(network->*pass).kernels || (network->*pass).kernels->gemms <= 0) return false;
  }
  const auto gain = [pass](const Pair& pair, auto time) {
    return std::invoke(time, *(pair.fp32->*pass).kernels) /
           std::invoke(time, *(pair.other->*pass).kernels);
  };
  const double share = (larger.fp32->*pass).kernels->gemm_share();
  const double by_mix = 1 / (share / gain(smaller, &KernelTime::gemms) +
                             (1 - share) / gain(smaller, &KernelTime::rest));
  const double least = gain(smaller, &KernelTime::total), most = gain(larger, &KernelTime::total);
  return most > least && share > (smaller.fp32->*pass).kernels->gemm_share() &&
         by_mix - least >= kHalf * (most - least);
}

/// How much of a pass GEMMs are in FP32.
Facts share_range(const Pair& small, const Pair& large, WhichPass pass) {
  const auto share = [pass](const Pair& pair) { return (pair.fp32->*pass).kernels->gemm_share(); };
  return Facts()
      .set("small", small.size())
      .set("small_share", share(small), {Notation::kPercent})
      .set("large", large.size())
      .set("large_share", share(large), {Notation::kPercent});
}

/// Shares of GEMMs in FP32 where they are why speedups grow.
std::optional<Facts> share_facts(const Pairs& pairs, const std::vector<WhichPass>& growing) {
  if (growing.empty()) return std::nullopt;
  const WhichPass pass = growing.front();
  const Pairs compared = spoken_of(pairs, pass);
  const Pair &small = compared.front(), &large = compared.back();
  const auto explains = [&](WhichPass which) { return mix_explains(small, large, which); };
  if (!std::ranges::all_of(growing, explains)) return std::nullopt;
  return share_range(small, large, pass)
      .set("pass", pass == &Network::forward ? "forward" : "backward");
}

bool paced_by_launches(const Pair& pair, WhichPass pass) {
  return (pair.other->*pass).launch_bound.value_or(false);
}

/// Launches hold back the smallest network, not the largest.
bool capped_by_launches(const Pairs& pairs, WhichPass pass) {
  const Pairs compared = spoken_of(pairs, pass);
  return paced_by_launches(compared.front(), pass) && !paced_by_launches(compared.back(), pass);
}

/// Which passes launches cap where speedups grow for that reason, and shares of GEMMs in FP32 where
/// those grow too.
std::optional<Facts> launch_facts(const Pairs& pairs, const std::vector<WhichPass>& growing) {
  const auto capped = [&](WhichPass pass) { return capped_by_launches(pairs, pass); };
  if (growing.empty() || !std::ranges::all_of(growing, capped)) return std::nullopt;
  const Pairs profiled = only(spoken_of(pairs, &Network::forward), [](const Pair& pair) {
    return pair.fp32->forward.kernels.has_value();
  });
  const auto share = [](const Pair& pair) { return pair.fp32->forward.kernels->gemm_share(); };
  const bool more =
      profiled.size() > 1 && share(profiled.back()) > share(profiled.front()) + kMoreGemms;
  return Facts()
      .set("passes", passes_where(pairs, paced_by_launches))
      .when("shares", more,
            more ? share_range(profiled.front(), profiled.back(), &Network::forward) : Facts());
}

void set_trend(Facts& facts, const Pairs& pairs) {
  std::vector<WhichPass> growing;
  bool differ = false;
  for (const auto& [name, pass] : kBoth) {
    const Trend trend = trend_of(each(
        spoken_of(pairs, pass), [pass = pass](const Pair& pair) { return *pair.speedup(pass); }));
    if (trend == Trend::kGrows) growing.push_back(pass);
    differ = differ || trend != Trend::kAlike;
  }
  const bool alone = growing.size() == 1;
  facts.when("grows", !growing.empty(),
             Facts()
                 .flag("both", growing.size() == 2)
                 .flag("forward", alone && growing[0] == &Network::forward)
                 .flag("backward", alone && growing[0] == &Network::backward));
  facts.flag("no_trend", growing.empty() && differ);
  const auto shares = share_facts(pairs, growing);
  facts.when("share_explains", shares);
  facts.when("launches_explain", shares ? std::nullopt : launch_facts(pairs, growing));
}

/// Where everything but GEMMs takes longer, mostly because of copies: autocast's casts.
bool casts_slow(const Pair& pair, const KernelTime& fp32, const KernelTime& other) {
  return pair.precision() != "TF32" && other.rest() > kLonger * fp32.rest() &&
         other.copies - fp32.copies >= kHalf * (other.rest() - fp32.rest());
}

/// What became of GEMMs and of everything else in the largest forward pass profiled in both
/// precisions.
void set_kernels(Facts& facts, const Pairs& pairs) {
  Facts values;
  const Pairs compared = spoken_of(pairs, &Network::forward);
  std::string holds = compared.empty() ? "" : "not_profiled";
  for (const Pair& pair : compared) {
    const auto &fp32 = pair.fp32->forward.kernels, &other = pair.other->forward.kernels;
    if (!fp32 || !other) continue;
    const bool gain = other->gemms > 0 && fp32->gemms > kLonger * other->gemms;
    holds = gain ? "gemms_gain" : "gemms_stay";
    values.set("size", pair.size())
        .set("gemms", fp32->gemms, {})
        .set("new_gemms", other->gemms, {})
        .set("rest", fp32->rest(), {})
        .set("new_rest", other->rest(), {})
        .flag("casts", casts_slow(pair, *fp32, *other));
  }
  facts.choose({"gemms_gain", "gemms_stay", "not_profiled"}, holds, values);
}

bool lost(const Pair& pair, WhichPass pass) {
  const Ratio speedup = *pair.speedup(pass);
  return speedup.value < kSlower && clearly_below(speedup, 1);
}

void set_launch_bound(Facts& facts, const Pairs& pairs) {
  const std::string passes = passes_where(pairs, paced_by_launches);
  const bool several = passes.starts_with("both") || passes.find("and the b") != passes.npos;
  facts.when("launch_bound", !passes.empty(),
             Facts().set("passes", passes).set("are", several ? "are" : "is"));
  const auto shaded = [](const Pair& pair) {
    return pair.other->bound && *pair.other->bound != Bound::kDevice;
  };
  facts.flag("shaded", std::ranges::any_of(spoken_of(pairs, &Network::forward), shaded));
}

/// The first of the passes that lost of which both profiles count launches, and autocast's are
/// more.
std::optional<Facts> more_launches(const Pairs& pairs) {
  for (const auto& [name, pass] : kBoth) {
    for (const Pair& pair : spoken_of(pairs, pass)) {
      const auto &fp32 = (pair.fp32->*pass).kernels, &other = (pair.other->*pass).kernels;
      if (!lost(pair, pass) || !fp32 || !other || other->launches <= fp32->launches) continue;
      return Facts()
          .set("pass", pair.size() + "'s " + name)
          .set("fp32", fp32->launches, {Notation::kCount})
          .set("other", other->launches, {Notation::kCount});
    }
  }
  return std::nullopt;
}

/// Training steps whose time changes by more than a tenth where they are synchronized after each
/// phase, not once.
std::vector<Facts> changed_by_synchronizing(const Pairs& pairs) {
  constexpr double kTenth = 0.1;
  constexpr Notation kThree{Notation::kSignificant, 3};
  std::vector<Facts> list;
  for (const Pair& pair : spoken_of(pairs, &Network::step)) {
    for (const Network* network : {pair.fp32, pair.other}) {
      const auto step = timed(*network->group, Mode::kTrainStep);
      const auto synced = step->counted(metric::kSynced, metric::kTotal);
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

/// Passes that lost: whether all of them are launch-bound, and how many launches autocast adds.
void set_slower(Facts& facts, const Pairs& pairs) {
  const std::string passes = passes_where(pairs, lost);
  const bool paced = pairs.front().precision() != "TF32" &&  // Only autocast adds launches.
                     passes == passes_where(pairs, [](const Pair& pair, WhichPass pass) {
                       return lost(pair, pass) && paced_by_launches(pair, pass);
                     });
  facts.when("slower_by_launches", paced && !passes.empty(), "passes", passes);
  facts.when("more_launches", paced ? more_launches(pairs) : std::nullopt);
  facts.when("slower", !paced && !passes.empty(), "passes", passes);
}

}  // namespace

Facts speedup_facts(const RunView& view, const Pairs& pairs) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string precision = pairs.front().precision();
  Facts facts;
  facts.set("precision", precision).flag("gpu", view.on_gpu());
  facts.flag("nothing", spoken_of(pairs, &Network::forward).empty());
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  facts.list("precisions", every_speed(pairs));
  facts.list("synchronizing",
             view.on_gpu() ? changed_by_synchronizing(pairs) : std::vector<Facts>());
  set_trend(facts, pairs);
  set_kernels(facts, pairs);
  set_launch_bound(facts, pairs);
  set_slower(facts, pairs);
  return facts.when("near_tie", near_tie(pairs));
}

}  // namespace labreport::benchmarking_mixed_precision
