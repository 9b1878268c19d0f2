// What part (c) can say of its speedups, and of what the profiles hold against them.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/gpu.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"
#include "plan/arithmetic.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr double kSlower = 0.98;      // A speedup below it is a loss.
constexpr double kLonger = 1.05;      // One time over another, to call it longer.
constexpr double kHalf = 0.5;         // Of a change, to call something its reason.
constexpr double kSharePoint = 0.01;  // The least that a share has to grow.

using Pairs = std::vector<Pair>;
using WhichPass = Pass Network::*;
constexpr std::pair<const char*, WhichPass> kBoth[]{{"forward", &Network::forward},
                                                    {"backward", &Network::backward}};

std::string words_of(const Ratio& speedup) {
  return certain_ratio(speedup.value, speedup.deviation);
}

/// "forward_low", "forward_low_size", …; whether all print alike.
bool set_range(Facts& facts, const std::string& name, WhichPass pass, const Pairs& pairs) {
  const Pairs compared = spoken_of(pairs, pass);
  const auto value = [pass](const Pair& pair) { return pair.speedup(pass)->value; };
  const auto [low, high] = std::ranges::minmax_element(compared, {}, value);
  for (const auto& [end, pair] : {std::pair("_low", low), std::pair("_high", high)}) {
    const bool any = pair != compared.end();
    facts.set(name + end, any ? words_of(*pair->speedup(pass)) : "");
    facts.set(name + end + "_size", any ? pair->other->size() : "");
  }
  return compared.empty() || format_ratio(value(*low)) == format_ratio(value(*high));
}

/// How fast one precision is, in the one situation that fits.
Facts speeds(const Pairs& pairs) {
  Facts facts;
  const std::string precision(pairs.front().other->precision());
  const bool backward = !spoken_of(pairs, &Network::backward).empty();
  const bool several = spoken_of(pairs, &Network::forward).size() > 1;
  const bool alike = set_range(facts, "forward", &Network::forward, pairs) &
                     set_range(facts, "backward", &Network::backward, pairs);
  facts.set("precision", precision);
  facts.set("setting", precision == "TF32" ? precision : precision + " autocast");
  facts.flag("backward", backward);
  facts.flag("several", several);
  const std::string holds = std::string(backward ? "" : "forward_") + (!several ? "single"
                                                                       : alike  ? "alike"
                                                                                : "range");
  for (const char* name :
       {"range", "alike", "single", "forward_range", "forward_alike", "forward_single"}) {
    facts.flag(name, name == holds);
  }
  return facts;
}

/// Of every precision that was compared, the one that answers speak of first.
std::vector<Facts> every_speed(Pairs pairs) {
  std::vector<Facts> list;
  while (!pairs.empty()) {
    if (!spoken_of(pairs, &Network::forward).empty()) list.push_back(speeds(pairs));
    const std::string_view done = pairs.front().other->precision();
    std::erase_if(pairs, [done](const Pair& pair) { return pair.other->precision() == done; });
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

/// Shares of GEMMs in FP32 where speedups grow: why they do, or what goes along with it.
void set_shares(Facts& facts, const Pairs& pairs, const std::vector<WhichPass>& growing) {
  facts.when("share_explains", std::nullopt);
  facts.when("share_grows", std::nullopt);
  if (growing.empty()) return;
  const WhichPass pass = growing.front();
  Pairs profiled = spoken_of(pairs, pass);
  std::erase_if(profiled, [pass](const Pair& pair) { return !(pair.fp32->*pass).kernels; });
  if (profiled.size() < 2) return;
  const Pair &small = profiled.front(), &large = profiled.back();
  const double low = (small.fp32->*pass).kernels->gemm_share();
  const double high = (large.fp32->*pass).kernels->gemm_share();
  Facts shares;
  shares.set("pass", pass == &Network::forward ? "forward" : "backward");
  shares.set("small", small.fp32->size());
  shares.set("small_share", low, {Notation::kPercent});
  shares.set("large", large.fp32->size());
  shares.set("large_share", high, {Notation::kPercent});
  const auto explains = [&](WhichPass which) { return mix_explains(small, large, which); };
  const bool alone = !(small.other->*pass).kernels && !(large.other->*pass).kernels;
  if (std::ranges::all_of(growing, explains)) facts.when("share_explains", shares);
  if (alone && high >= low + kSharePoint) facts.when("share_grows", shares);
}

void set_trend(Facts& facts, const Pairs& pairs) {
  std::vector<WhichPass> growing;
  bool uneven = false, unclear = false;
  for (const auto& [name, pass] : kBoth) {
    std::vector<Ratio> ratios;
    for (const Pair& pair : spoken_of(pairs, pass)) ratios.push_back(*pair.speedup(pass));
    const Trend trend = trend_of(ratios);
    if (trend == Trend::kGrows) growing.push_back(pass);
    uneven = uneven || trend == Trend::kUneven;
    unclear = unclear || trend == Trend::kUnclear;
  }
  const auto alone = [&](WhichPass pass) { return growing.size() == 1 && growing[0] == pass; };
  facts.flag("both_grow", growing.size() == 2);
  facts.flag("forward_grows", alone(&Network::forward));
  facts.flag("backward_grows", alone(&Network::backward));
  facts.flag("uneven", growing.empty() && uneven);
  facts.flag("unclear", growing.empty() && !uneven && unclear);
  set_shares(facts, pairs, growing);
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
    const double slowed = other->rest() - fp32->rest();
    const bool casts = pair.other->precision() != "TF32" &&
                       other->rest() > kLonger * fp32->rest() &&
                       other->copies - fp32->copies >= kHalf * slowed;
    const bool gain = other->gemms > 0 && fp32->gemms > kLonger * other->gemms;
    holds = !gain ? "gemms_stay" : casts ? "casts" : "gemms_gain";
    values.set("size", pair.other->size());
    values.set("gemms", fp32->gemms, {});
    values.set("new_gemms", other->gemms, {});
    values.set("gain", gain ? format_factor(fp32->gemms / other->gemms) : "");
    values.set("rest", fp32->rest(), {});
    values.set("new_rest", other->rest(), {});
    values.set("copies", fp32->copies, {});
    values.set("new_copies", other->copies, {});
  }
  for (const char* name : {"casts", "gemms_gain", "gemms_stay", "not_profiled"}) {
    facts.when(name, name == holds ? std::optional(values) : std::nullopt);
  }
}

/// Forward and backward together, as a share of the measured matrix rate.
Value share_of_peak(const RunView& view, const Network& network) {
  CellSpec spec = network.group->spec;
  spec.mode = Mode::kForwardBackward;
  const auto rate = matrix_rate(view, *spec.precision);
  const double seconds = (mean(network.forward.ms) + mean(network.backward.ms)) / 1e3;
  return rate && seconds > 0 ? Value(step_flops(spec) / seconds / *rate) : Value();
}

/// Where the optimizer takes as long in both and the step gains less than its passes.
bool optimizer_holds_back(const Pair& pair) {
  const auto optimizer = pair.speedup(&Network::optimizer), step = pair.speedup(&Network::step);
  if (!optimizer || !step) return false;
  const bool same = optimizer->value < kLonger && optimizer->value * kLonger > 1;
  return same && std::ranges::all_of(kBoth, [&](const auto& named) {
           const Ratio pass = *pair.speedup(named.second);
           return step->value < pass.value && apart(*step, pass);
         });
}

/// What the times of the largest network come to.
void set_largest(Facts& facts, const RunView& view, const Pairs& pairs) {
  for (const char* name : {"times", "peak", "optimizer"}) facts.when(name, std::nullopt);
  Pairs compared = spoken_of(pairs, &Network::backward);
  std::erase_if(compared, [](const Pair& pair) { return !pair.speedup(&Network::forward); });
  if (compared.empty()) return;
  const auto& [fp32, other] = compared.back();
  Facts values;
  values.set("size", other->size());
  const auto set = [&](const std::string& name, const Pass& base, const Pass& reduced) {
    values.set("fp32_" + name, mean(base.ms), {});
    values.set(name, mean(reduced.ms), {});
    values.set("fp32_" + name + "_exact", Value::mean_of(base.ms), {});
    values.set(name + "_exact", Value::mean_of(reduced.ms), {});
  };
  set("forward", fp32->forward, other->forward);
  set("backward", fp32->backward, other->backward);
  facts.when("times", values);
  const Value base = share_of_peak(view, *fp32), reduced = share_of_peak(view, *other);
  values.set("fp32_share", base, {Notation::kPercent});
  values.set("share", reduced, {Notation::kPercent});
  if (!base.is_missing() && !reduced.is_missing()) facts.when("peak", values);
  if (!optimizer_holds_back(compared.back())) return;
  set("adamw", fp32->optimizer, other->optimizer);
  values.set("step", words_of(*compared.back().speedup(&Network::step)));
  facts.when("optimizer", values);
}

std::vector<std::string> launch_bound_sizes(const Pairs& pairs, WhichPass pass) {
  std::vector<std::string> sizes;
  for (const Pair& pair : spoken_of(pairs, pass)) {
    if ((pair.other->*pass).launch_bound.value_or(false)) sizes.push_back(pair.other->size());
  }
  return sizes;
}

void set_pace(Facts& facts, const Pairs& pairs) {
  const std::string forward = join_words(launch_bound_sizes(pairs, &Network::forward));
  const std::string backward = join_words(launch_bound_sizes(pairs, &Network::backward));
  const bool same = forward == backward;
  facts.when("launch_both", same && !forward.empty(), "sizes", forward);
  facts.when("launch_forward", !same && !forward.empty(), "sizes", forward);
  facts.when("launch_backward", !same && !backward.empty(), "sizes", backward);
  const bool known = pairs.front().other->forward.launch_bound.has_value();
  facts.flag("gpu_bound", known && forward.empty() && backward.empty());
  const auto shaded = [](const Pair& pair) {
    return pair.other->bound().value_or("GPU-bound") != "GPU-bound";
  };
  facts.flag("shaded", std::ranges::any_of(spoken_of(pairs, &Network::forward), shaded));
}

/// Passes that lost: whether launches set the pace of all of them, and how many autocast adds.
void set_slower(Facts& facts, const Pairs& pairs) {
  std::vector<std::string> passes;
  std::optional<Facts> more;
  bool paced = pairs.front().other->precision() != "TF32";  // Only autocast adds launches.
  for (const auto& [name, pass] : kBoth) {
    for (const Pair& pair : spoken_of(pairs, pass)) {
      const auto &fp32 = pair.fp32->*pass, &other = pair.other->*pass;
      const Ratio speedup = *pair.speedup(pass);
      if (speedup.value >= kSlower || !clearly_below(speedup, 1)) continue;
      passes.push_back(pair.other->size() + ", " + name + " (" + words_of(speedup) + " ×)");
      paced = paced && other.launch_bound.value_or(false);
      if (more || !fp32.kernels || !other.kernels ||
          other.kernels->launches <= fp32.kernels->launches)
        continue;
      more.emplace();
      more->set("pass", pair.other->size() + "'s " + name);
      more->set("fp32", fp32.kernels->launches, {Notation::kCount});
      more->set("other", other.kernels->launches, {Notation::kCount});
    }
  }
  facts.when("slower_by_launches", paced && !passes.empty(), "passes", join_words(passes));
  facts.when("more_launches", paced ? more : std::nullopt);
  facts.when("slower", !paced && !passes.empty(), "passes", join_words(passes));
}

/// Steps that did not run, those of one reason together.
std::vector<Facts> not_run(const std::vector<Network>& networks) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const Network& network : networks) {
    if (const std::string reason = network.missing(); !reason.empty())
      labels[reason].push_back(network.group->label);
  }
  std::vector<Facts> list;
  for (const auto& [reason, names] : labels) {
    list.emplace_back();
    list.back().set("labels", join(names, "; "));
    list.back().set("reason", reason);
  }
  return list;
}

}  // namespace

Facts speedup_facts(const RunView& view, const std::vector<Network>& networks, const Pairs& pairs) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const std::string precision(pairs.front().other->precision());
  Facts facts;
  facts.set("precision", precision);
  facts.flag("gpu", view.on_gpu());
  facts.flag("nothing", spoken_of(pairs, &Network::forward).empty());
  facts.flag("substitute", !has_bf16 && precision == "FP16");
  facts.list("precisions", every_speed(pairs));
  facts.list("not_run", not_run(networks));
  set_trend(facts, pairs);
  set_kernels(facts, pairs);
  set_largest(facts, view, pairs);
  set_pace(facts, pairs);
  set_slower(facts, pairs);
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
