// Presents part (e): softmax against the GEMMs of self-attention, in time and in FLOPs.
#include <map>

#include "base/format.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "experiments/nsys_profile/roofline.h"

namespace labreport::nsys_profile {
namespace {

// A part is bound by the limit to which it is closer, if it reaches this share of it.
constexpr double kBoundFrom = 0.4;

/// Compares softmax with the GEMMs of one profile's self-attention.
struct SoftmaxVsGemms {
  std::string profile, full_name;
  std::string reason;  ///< Why the forward pass was not measured; empty if it was.
  TimedWork softmax = {}, scores = {}, values = {}, projections = {};
  TimedWork gemms = {};  ///< QKᵀ and A·V, without the projections.
  // The shares of the copy bandwidth, and of the fastest GEMM's rate; 0 if those are unknown.
  double softmax_bandwidth_share = 0, gemm_bandwidth_share = 0, gemm_rate_share = 0;
  double exp_ratio = 0;  ///< The time of exp / that of sub, which accesses as many bytes.
  double ridge = 0;      ///< The ridge point, FLOP/B; 0 if unknown.

  bool softmax_is_memory_bound() const {
    const bool is_near_bandwidth =  // Above the bandwidth, caches held the scores.
        softmax_bandwidth_share >= kBoundFrom && softmax_bandwidth_share <= 1;
    return softmax.intensity() < ridge && is_near_bandwidth;
  }
  /// True if softmax is memory-bound and the GEMMs are compute-bound.
  bool bounds_differ() const {
    return softmax_is_memory_bound() && gemms.intensity() >= ridge && gemm_rate_share >= kBoundFrom;
  }
  bool gemms_are_memory_bound() const {
    return gemms.intensity() < ridge && gemm_bandwidth_share >= kBoundFrom;
  }
  double time_ratio() const { return softmax.ms / gemms.ms; }
  double flop_ratio() const { return gemms.flops > 0 ? softmax.flops / gemms.flops : 0; }
  double time_ratio_to_all_gemms() const {
    return projections.ms > 0 ? softmax.ms / (gemms + projections).ms : 0;
  }
  double flop_ratio_to_all_gemms() const {
    return projections.flops > 0 ? softmax.flops / (gemms + projections).flops : 0;
  }
};

std::optional<SoftmaxVsGemms> compare_softmax(const Limits& limits, const KernelProfile& profile) {
  const std::vector<TimedWork> stages = attention_work(profile);
  const auto at = [&](const char* stage) {
    return *std::ranges::find(stages, stage, &TimedWork::name);
  };
  SoftmaxVsGemms comparison{.profile = profile.label,
                            .full_name = profile.full_name,
                            .reason = "",
                            .softmax = at(stage::kSoftmax),
                            .scores = at(stage::kScores),
                            .values = at(stage::kValues),
                            .projections = at(stage::kProjections)};
  comparison.gemms = comparison.scores + comparison.values + at(stage::kScoresOrValues);
  std::map<std::string, double> ms;
  const KernelRows softmax = rows_of_stage(profile.rows(Pass::kForward), stage::kSoftmax);
  for (const KernelSum& sum : sums_by(softmax, operator_name)) ms[sum.name] = sum.total_ms;
  if (ms["sub"] > 0) comparison.exp_ratio = ms["exp"] / ms["sub"];
  if (comparison.softmax.ms <= 0 || comparison.gemms.ms <= 0) return std::nullopt;
  if (const auto work = users_attention_work(profile)) {
    comparison.softmax.flops = work->softmax.flops, comparison.softmax.bytes = work->softmax.bytes;
    comparison.gemms.flops = work->products.flops, comparison.gemms.bytes = work->products.bytes;
  }
  const PeakRates peaks(limits, profile);
  if (!peaks.are_known() || comparison.softmax.flops <= 0) return comparison;
  comparison.softmax_bandwidth_share = comparison.softmax.bandwidth() / peaks.bandwidth;
  comparison.gemm_bandwidth_share = comparison.gemms.bandwidth() / peaks.bandwidth;
  comparison.gemm_rate_share = comparison.gemms.flop_rate() / peaks.gemm_rate;
  comparison.ridge = peaks.ridge();
  return comparison;
}

/// Says why softmax has no time of its own in a forward pass that was measured.
std::string why_inseparable(const KernelRows& forward) {
  return rows_of_stage(forward, stage::kFused).empty()
             ? "no module or operator tells softmax from the GEMMs"
             : "one fused operator computes attention";
}

std::vector<SoftmaxVsGemms> softmax_rows(const Limits& limits,
                                         const std::vector<const KernelProfile*>& profiles) {
  std::vector<SoftmaxVsGemms> rows;
  for (const KernelProfile* profile : profiles) {
    const KernelRows forward = profile->rows(Pass::kForward);
    const std::string reason =
        forward.empty() ? profile->why_missing(Pass::kForward) : why_inseparable(forward);
    if (const auto comparison = compare_softmax(limits, *profile)) {
      rows.push_back(*comparison);
    } else if (!reason.empty()) {
      rows.push_back({profile->label, profile->full_name, reason});
    }
  }
  return rows;
}

/// Shows a number of 0 or NaN as unknown, and the reason in a row that was not measured.
template <typename Number>
Column<SoftmaxVsGemms> number_column(const char* name, const char* title, const char* unit,
                                     Number number_of, Notation notation = {}) {
  const auto value = [=](const SoftmaxVsGemms& row) {
    const double number = std::invoke(number_of, row);
    return number > 0 ? Value(number) : Value();
  };
  return {name, title, or_reason<SoftmaxVsGemms>(value), unit, notation};
}

const std::vector<Column<SoftmaxVsGemms>>& ratio_columns() {
  using Row = SoftmaxVsGemms;
  constexpr Notation kRatio{Notation::kFixed, 2};
  const auto ms = [](TimedWork Row::* work) {
    return [=](const Row& row) { return (row.*work).ms; };
  };
  static const std::vector<Column<Row>> columns{
      {"profile", "Profile", &Row::profile},
      number_column("softmax", "Softmax", "ms", ms(&Row::softmax)),
      number_column("scores", "QKᵀ", "ms", ms(&Row::scores)),
      number_column("values", "A·V", "ms", ms(&Row::values)),
      number_column("time", "Time ratio", "×", &Row::time_ratio, kRatio),
      number_column("flops", "FLOPs ratio", "%", &Row::flop_ratio, kAsPercent),
      number_column("all_time", "Time, with projections", "×", &Row::time_ratio_to_all_gemms,
                    kRatio),
      number_column("all_flops", "FLOPs, with projections", "%", &Row::flop_ratio_to_all_gemms,
                    kAsPercent),
      number_column("exp", "exp ÷ sub", "×", &Row::exp_ratio, {Notation::kSignificant, 2}),
      number_column("bandwidth", "Softmax, of copy bandwidth", "%", &Row::softmax_bandwidth_share,
                    kAsPercent),
      number_column("gemm_bandwidth", "GEMMs, of copy bandwidth", "%", &Row::gemm_bandwidth_share,
                    kAsPercent),
      number_column("rate", "GEMMs, of the fastest GEMM", "%", &Row::gemm_rate_share, kAsPercent)};
  return columns;
}

Facts attention_sentences(const KernelProfile& profile, const SoftmaxVsGemms& comparison) {
  // Memory bounds exp no more than sub, so exp is bound by computing if it takes much longer.
  constexpr double kMuchLonger = 2;
  const bool computes = !under_autocast(profile.spec) && comparison.exp_ratio >= kMuchLonger;
  const bool has_flops = comparison.softmax.flops > 0;
  const double flop_ratio = has_flops ? comparison.gemms.flops / comparison.softmax.flops : 0;
  return Facts()
      .set("profile", comparison.full_name)
      .set("softmax", comparison.softmax.ms, kThreeDigits)
      .set("gemms", comparison.gemms.ms, kThreeDigits)
      .set("flops",
           has_flops ? " with " + format_significant(flop_ratio, 2) + " times the FLOPs" : "")
      .when("computes", computes, "times", format_significant(comparison.exp_ratio, 2))
      .when("bounds", comparison.bounds_differ(),
            Facts()
                .set("rate", comparison.gemm_rate_share, kAsPercent)
                .set("bandwidth", comparison.softmax_bandwidth_share, kAsPercent));
}

}  // namespace

PartContent attention(const Profiles& profiles) {
  const auto compare = [&](const KernelProfile* profile) {
    return profile == nullptr ? std::nullopt : compare_softmax(profiles.limits, *profile);
  };
  const auto comparison = compare(profiles.in_answers);
  const auto in_16_bits = compare(profiles.in_answers_16_bit);
  const bool memory_bound =
      in_16_bits && in_16_bits->softmax_is_memory_bound() && in_16_bits->gemms_are_memory_bound();
  PartContent part;
  part.has_numbers = comparison.has_value();
  part.facts = profiles.facts();
  if (comparison) part.facts.add(attention_sentences(*profiles.in_answers, *comparison));
  part.facts.when("memory_bound", memory_bound, "precision",
                  memory_bound ? labreport::describe(profiles.in_answers_16_bit->precision()) : "");
  part.datasets = {
      make_dataset("ratios", ratio_columns(), softmax_rows(profiles.limits, profiles.in_tables)),
      make_dataset("every-ratio", ratio_columns(),
                   softmax_rows(profiles.limits, profiles.in_details))};
  add_roofline(profiles, part);
  return part;
}

}  // namespace labreport::nsys_profile
