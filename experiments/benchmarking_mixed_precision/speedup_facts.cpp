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

constexpr double kSlower = 0.98;  // A speedup below it is a loss.
constexpr double kLonger = 1.05;  // One time over another, to call it longer.
constexpr double kHalf = 0.5;

using Rows = std::vector<Speedup>;
using WhichPass = Pass Speedup::*;

double value_of(const Pass& pass) { return pass.speedup->value; }

std::string words_of(const Pass& pass) {
  return certain_ratio(pass.speedup->value, pass.speedup->deviation);
}

/// "forward_low", "forward_low_size", …; true where all print alike.
bool set_range(Facts& facts, const std::string& prefix, const Rows& rows, WhichPass which) {
  const auto value = [which](const Speedup& row) { return value_of(row.*which); };
  const auto [low, high] = std::ranges::minmax_element(rows, {}, value);
  for (const auto& [end, row] : {std::pair("_low", low), std::pair("_high", high)}) {
    facts.set(prefix + end, row == rows.end() ? "" : words_of((*row).*which));
    facts.set(prefix + end + "_size", row == rows.end() ? "" : row->size);
  }
  return rows.empty() || format_ratio(value(*low)) == format_ratio(value(*high));
}

/// How fast one precision is, in the one situation that fits.
Facts speeds(const Rows& rows) {
  Facts facts;
  const Rows forward = of_first_precision(rows, &Speedup::forward);
  const Rows backward = of_first_precision(rows, &Speedup::backward);
  const std::string precision(describe(rows.front().precision));
  const bool autocast = rows.front().precision != Precision::kTf32;
  facts.set("setting", autocast ? precision + " autocast" : precision);
  facts.set("precision", precision);
  bool alike = set_range(facts, "forward", forward, &Speedup::forward);
  alike = set_range(facts, "backward", backward, &Speedup::backward) && alike;
  facts.flag("backward", !backward.empty());
  facts.flag("several", forward.size() > 1);
  const std::string holds =
      std::string(backward.empty() ? "forward_" : "") + (forward.size() == 1 ? "single"
                                                         : alike             ? "alike"
                                                                             : "range");
  for (const char* name :
       {"range", "alike", "single", "forward_range", "forward_alike", "forward_single"}) {
    facts.flag(name, name == holds);
  }
  return facts;
}

/// Of every precision that was compared, the one that answers speak of first.
std::vector<Facts> every_speed(const Rows& rows) {
  std::vector<Facts> list;
  Rows rest = rows;
  while (!rest.empty()) {
    if (!of_first_precision(rest, &Speedup::forward).empty()) list.push_back(speeds(rest));
    const Precision done = rest.front().precision;
    std::erase_if(rest, [done](const Speedup& row) { return row.precision == done; });
  }
  return list;
}

Trend trend(const Rows& rows, WhichPass which) {
  std::vector<Ratio> ratios;
  for (const Speedup& row : of_first_precision(rows, which))
    ratios.push_back(*(row.*which).speedup);
  return trend_of(ratios);
}

/// Whether the larger network's mix of kernels explains at least half of what its pass gains beyond
/// the smaller's: FP32's mix, with what the smaller network gains in GEMMs and in the rest.
bool mix_explains(const Pass& smaller, const Pass& larger) {
  for (const Pass* pass : {&smaller, &larger}) {
    if (!pass->kernels || !pass->reduced_kernels || pass->reduced_kernels->gemm <= 0) return false;
  }
  const auto gain = [](const Pass& pass) {
    return pass.kernels->total() / pass.reduced_kernels->total();
  };
  const double gemms = smaller.kernels->gemm / smaller.reduced_kernels->gemm;
  const double rest = smaller.kernels->rest() / smaller.reduced_kernels->rest();
  const double share = larger.kernels->gemm_share();
  const double by_mix = 1 / (share / gemms + (1 - share) / rest);
  const bool grows = gain(larger) > gain(smaller) && share > smaller.kernels->gemm_share();
  return grows && by_mix - gain(smaller) >= kHalf * (gain(larger) - gain(smaller));
}

std::optional<double> gemm_share(const Pass& pass) {
  return pass.kernels ? std::optional(pass.kernels->gemm_share()) : std::nullopt;
}

/// Shares of GEMMs in FP32 where a speedup grows: why it does, or what stands beside it.
void set_shares(Facts& facts, const Rows& rows, const std::vector<WhichPass>& growing) {
  bool explained = !growing.empty(), profiled = false;
  Facts shares;
  for (const WhichPass which : growing) {
    const Rows compared = of_first_precision(rows, which);
    const Pass &small = compared.front().*which, &large = compared.back().*which;
    explained = explained && mix_explains(small, large);
    profiled = profiled || (small.reduced_kernels && large.reduced_kernels);
    if (which != growing.front()) continue;
    shares.set("pass", which == &Speedup::forward ? "forward" : "backward");
    shares.set("small", compared.front().size);
    shares.set("small_share", gemm_share(small), {Notation::kPercent});
    shares.set("large", compared.back().size);
    shares.set("large_share", gemm_share(large), {Notation::kPercent});
    profiled = profiled || gemm_share(small) >= gemm_share(large);
  }
  facts.when("share_explains", explained ? std::optional(shares) : std::nullopt);
  facts.when("share_grows", growing.empty() || profiled ? std::nullopt : std::optional(shares));
}

void set_trend(Facts& facts, const Rows& rows) {
  const Trend forward = trend(rows, &Speedup::forward);
  const Trend backward = trend(rows, &Speedup::backward);
  const bool uneven = forward == Trend::kUneven || backward == Trend::kUneven;
  const bool unclear = forward == Trend::kUnclear || backward == Trend::kUnclear;
  std::vector<WhichPass> growing;
  if (forward == Trend::kGrows) growing.push_back(&Speedup::forward);
  if (backward == Trend::kGrows) growing.push_back(&Speedup::backward);
  facts.flag("both_grow", growing.size() == 2);
  facts.flag("forward_grows", growing.size() == 1 && forward == Trend::kGrows);
  facts.flag("backward_grows", growing.size() == 1 && backward == Trend::kGrows);
  facts.flag("uneven", growing.empty() && uneven);
  facts.flag("unclear", growing.empty() && !uneven && unclear);
  set_shares(facts, rows, growing);
}

/// What became of GEMMs and of the rest in a forward pass that was profiled in both precisions.
std::string kernels_situation(const KernelTime& fp32, const KernelTime& other, bool casts) {
  if (other.gemm <= 0 || fp32.gemm < kLonger * other.gemm) return "gemms_stay";
  if (fp32.rest() > kLonger * other.rest()) return "all_gain";
  if (other.rest() < kLonger * fp32.rest()) return "rest_stays";
  const bool by_copies = other.copies - fp32.copies >= kHalf * (other.rest() - fp32.rest());
  return casts && by_copies ? "casts" : "rest_slows";
}

void set_kernels(Facts& facts, const Rows& rows) {
  std::optional<Facts> values;
  std::string holds;
  for (const Speedup& row : of_first_precision(rows, &Speedup::forward)) {
    const auto &fp32 = row.forward.kernels, &other = row.forward.reduced_kernels;
    if (!fp32 || !other) continue;
    holds = kernels_situation(*fp32, *other, row.precision != Precision::kTf32);
    values.emplace();
    values->set("size", row.size);
    values->set("gemms", fp32->gemm, {});
    values->set("fast_gemms", other->gemm, {});
    values->set("gain", other->gemm > 0 ? format_factor(fp32->gemm / other->gemm) : "");
    values->set("rest", fp32->rest(), {});
    values->set("new_rest", other->rest(), {});
    values->set("copies", fp32->copies, {});
    values->set("new_copies", other->copies, {});
  }
  for (const char* name : {"casts", "rest_slows", "rest_stays", "all_gain", "gemms_stay"}) {
    facts.when(name, name == holds ? values : std::nullopt);
  }
  facts.flag("not_profiled", !values);
}

/// Forward and backward together, as a share of the measured matrix rate.
Value share_of_peak(const RunView& view, CellSpec spec, const std::vector<double>& forward,
                    const std::vector<double>& backward) {
  const double seconds = (mean(forward) + mean(backward)) / 1e3;
  const auto rate = matrix_rate(view, *spec.precision);
  spec.mode = Mode::kForwardBackward;
  return rate && seconds > 0 ? Value(step_flops(spec) / seconds / *rate) : Value();
}

std::optional<Facts> peak_facts(const RunView& view, const Speedup& row) {
  const Pass &forward = row.forward, &backward = row.backward;
  const Value fp32 = share_of_peak(view, row.base->spec, forward.base, backward.base);
  const Value other = share_of_peak(view, row.reduced->spec, forward.reduced, backward.reduced);
  if (fp32.is_missing() || other.is_missing()) return std::nullopt;
  Facts facts;
  facts.set("size", row.size);
  facts.set("fp32_share", fp32, {Notation::kPercent});
  facts.set("share", other, {Notation::kPercent});
  return facts;
}

/// Where the optimizer does not gain and the step gains less than its passes for that.
std::optional<Facts> optimizer_facts(const Speedup& row) {
  const auto& optimizer = row.optimizer.speedup;
  if (!optimizer || !row.step.speedup) return std::nullopt;
  const bool same = optimizer->value < kLonger && optimizer->value * kLonger > 1;
  const Ratio& least =
      std::ranges::min(*row.forward.speedup, *row.backward.speedup, {}, &Ratio::value);
  if (!same || row.step.speedup->value >= least.value || !apart(*row.step.speedup, least))
    return std::nullopt;
  Facts facts;
  facts.set("size", row.size);
  facts.set("fp32", mean(row.optimizer.base), {});
  facts.set("other", mean(row.optimizer.reduced), {});
  facts.set("step", words_of(row.step));
  return facts;
}

Facts time_facts(const Speedup& row) {
  Facts facts;
  const auto set = [&](const std::string& name, const std::vector<double>& samples) {
    facts.set(name, mean(samples), {});
    facts.set(name + "_exact", Value::mean_of(samples), {});
  };
  facts.set("size", row.size);
  set("fp32_forward", row.forward.base);
  set("forward", row.forward.reduced);
  set("fp32_backward", row.backward.base);
  set("backward", row.backward.reduced);
  return facts;
}

/// What the largest network's times come to.
void set_largest(Facts& facts, const RunView& view, const Rows& rows) {
  const Rows compared = of_first_precision(rows, &Speedup::backward);
  const bool any = !compared.empty();
  facts.when("times", any ? std::optional(time_facts(compared.back())) : std::nullopt);
  facts.when("peak", any ? peak_facts(view, compared.back()) : std::nullopt);
  facts.when("optimizer", any ? optimizer_facts(compared.back()) : std::nullopt);
}

/// Sizes whose pass is launch-bound in the precision that answers speak of.
std::string launch_bound_sizes(const Rows& rows, WhichPass which) {
  std::vector<std::string> sizes;
  for (const Speedup& row : of_first_precision(rows, which)) {
    if ((row.*which).launch_bound.value_or(false)) sizes.push_back(row.size);
  }
  return join_words(sizes);
}

void set_pace(Facts& facts, const Rows& rows) {
  const std::string forward = launch_bound_sizes(rows, &Speedup::forward);
  const std::string backward = launch_bound_sizes(rows, &Speedup::backward);
  const bool both = forward == backward;
  const bool known = rows.front().forward.launch_bound.has_value();
  facts.when("launch_both", both && !forward.empty(), "sizes", forward);
  facts.when("launch_forward", !both && !forward.empty(), "sizes", forward);
  facts.when("launch_backward", !both && !backward.empty(), "sizes", backward);
  facts.flag("shaded", std::ranges::any_of(
                           of_first_precision(rows, &Speedup::forward), [](const Speedup& row) {
                             const auto step = fullest(*row.reduced);
                             return step && bound(*step).value_or(Bound::kDevice) != Bound::kDevice;
                           }));
  facts.flag("gpu_bound", known && forward.empty() && backward.empty());
}

std::optional<Facts> more_launches(const std::string& words, const Pass& pass) {
  const auto &fp32 = pass.kernels, &other = pass.reduced_kernels;
  if (!fp32 || !other || other->launched <= fp32->launched) return std::nullopt;
  Facts facts;
  facts.set("pass", words);
  facts.set("fp32", fp32->launched, {Notation::kCount});
  facts.set("other", other->launched, {Notation::kCount});
  return facts;
}

/// Passes that lost: whether launches set the pace of all of them, and how many autocast adds.
void set_slower(Facts& facts, const Rows& rows) {
  std::vector<std::string> passes;
  std::optional<Facts> more;
  bool paced = rows.front().precision != Precision::kTf32;  // Only autocast adds launches.
  for (const auto& [name, which] :
       {std::pair("forward", &Speedup::forward), std::pair("backward", &Speedup::backward)}) {
    for (const Speedup& row : of_first_precision(rows, which)) {
      const Pass& pass = row.*which;
      if (value_of(pass) >= kSlower || !clearly_below(*pass.speedup, 1)) continue;
      passes.push_back(row.size + ", " + name + " (" + words_of(pass) + " ×)");
      paced = paced && pass.launch_bound.value_or(false);
      if (!more) more = more_launches(row.size + "'s " + name, pass);
    }
  }
  facts.when("slower_by_launches", paced && !passes.empty(), "passes", join_words(passes));
  facts.when("more_launches", paced ? more : std::nullopt);
  facts.when("slower", !paced && !passes.empty(), "passes", join_words(passes));
}

bool fits(const TimingGroup& group) {
  return std::ranges::none_of(group.cells, [](const auto& entry) {
    const Launch* launch = representative(*entry.second);
    return launch != nullptr && does_not_fit(launch->outcome);
  });
}

/// Networks whose step fits in one precision of two.
std::vector<Facts> fitting_alone(const Rows& rows) {
  std::vector<Facts> list;
  for (const Speedup& row : rows) {
    for (const auto& [group, other] :
         {std::pair(row.base, row.reduced), std::pair(row.reduced, row.base)}) {
      if (!missing_step(*group).empty() || fits(*other)) continue;
      list.emplace_back();
      list.back().set("size", row.size);
      list.back().set("precision", describe(*group->spec.precision));
    }
  }
  return list;
}

/// Steps that did not run, those of one reason together.
std::vector<Facts> not_run(const std::vector<TimingGroup>& groups) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const TimingGroup& group : groups) {
    const std::string reason = missing_step(group);
    if (!reason.empty()) labels[reason].push_back(group.label);
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

Facts speedup_facts(const RunView& view, const Rows& rows, const std::vector<TimingGroup>& groups) {
  const Device* device = view.device();
  const bool has_bf16 = device == nullptr || computes_in_bf16(device->compute_capability);
  const Precision precision = rows.front().precision;
  const Rows compared = of_first_precision(rows, &Speedup::forward);
  Facts facts;
  facts.set("precision", describe(precision));
  facts.flag("gpu", view.on_gpu());
  facts.flag("nothing", compared.empty());
  facts.flag("substitute", !has_bf16 && precision == Precision::kFp16);
  facts.list("precisions", every_speed(rows));
  facts.list("not_run", not_run(groups));
  facts.list("fitting_alone", fitting_alone(rows));
  set_trend(facts, rows);
  set_kernels(facts, rows);
  set_largest(facts, view, rows);
  set_pace(facts, rows);
  set_slower(facts, rows);
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
