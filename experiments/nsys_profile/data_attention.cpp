// Presents part (e): softmax against the GEMMs of self-attention, in time and in FLOPs.
#include "base/format.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "experiments/nsys_profile/roofline.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kBoundFrom = 0.4;  // A part is bound by a limit if it reaches this share of it.

/// Compares softmax with the GEMMs of one profile's self-attention.
struct SoftmaxVsGemms {
  std::string profile, full_name;
  std::string reason;  ///< Why the forward pass was not measured; empty if it was.
  TimedWork softmax = {}, scores = {}, values = {}, projections = {};
  TimedWork gemms = {};                ///< QKᵀ and A·V, without the projections.
  double softmax_bandwidth_share = 0;  ///< Share of the copy bandwidth; 0 if that is unknown.
  double gemm_rate_share = 0;          ///< Share of the fastest GEMM's rate; 0 if that is unknown.
  double ridge = 0;                    ///< The ridge point, FLOP/B; 0 if unknown.

  /// True if softmax is memory-bound and the GEMMs are compute-bound.
  bool bounds_differ() const {
    return softmax.intensity() < ridge && softmax_bandwidth_share >= kBoundFrom &&
           gemms.intensity() >= ridge && gemm_rate_share >= kBoundFrom;
  }
  double time_ratio() const { return softmax.ms / gemms.ms; }
  double flop_ratio() const { return gemms.flops > 0 ? softmax.flops / gemms.flops : 0; }
  double time_ratio_to_all_gemms() const {
    return projections.ms > 0 ? softmax.ms / (gemms + projections).ms : 0;
  }
  double flop_ratio_to_all_gemms() const { return softmax.flops / (gemms + projections).flops; }
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
  if (comparison.softmax.ms <= 0 || comparison.gemms.ms <= 0) return std::nullopt;
  const PeakRates peaks(limits, profile);
  if (!peaks.are_known() || !profile.is_own_network()) return comparison;
  comparison.softmax_bandwidth_share = comparison.softmax.bandwidth() / peaks.bandwidth;
  comparison.gemm_rate_share = comparison.gemms.flop_rate() / peaks.gemm_rate;
  comparison.ridge = peaks.ridge();
  return comparison;
}

std::vector<SoftmaxVsGemms> softmax_rows(const Limits& limits,
                                         const std::vector<const KernelProfile*>& profiles) {
  std::vector<SoftmaxVsGemms> rows;
  for (const KernelProfile* profile : profiles) {
    const std::string reason = profile->why_missing(Pass::kForward);
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
      number_column("bandwidth", "Softmax, of copy bandwidth", "%", &Row::softmax_bandwidth_share,
                    kAsPercent),
      number_column("rate", "GEMMs, of the fastest GEMM", "%", &Row::gemm_rate_share, kAsPercent)};
  return columns;
}

Facts attention_sentence(const SoftmaxVsGemms& comparison) {
  constexpr Notation kTwoDigits{Notation::kSignificant, 2};
  const bool has_flops = comparison.softmax.flops > 0;
  const Facts intensities = Facts()
                                .set("softmax", comparison.softmax.intensity(), kTwoDigits)
                                .set("gemms", comparison.gemms.intensity(), kTwoDigits)
                                .set("ridge", comparison.ridge, kTwoDigits);
  return Facts()
      .set("profile", comparison.full_name)
      .set("softmax", comparison.softmax.ms, kThreeDigits)
      .set("gemms", comparison.gemms.ms, kThreeDigits)
      .when(
          "counted", has_flops, "times",
          has_flops ? format_significant(comparison.gemms.flops / comparison.softmax.flops, 2) : "")
      .when("apart", comparison.bounds_differ(), intensities)
      .flag("unclear", comparison.ridge > 0 && !comparison.bounds_differ());
}

/// Chooses the answer's sentence. Softmax and the GEMMs have no separate times if a fused kernel
/// computes both, or if kernels cannot be assigned to them.
Facts attention_facts(const Profiles& profiles, const Limits& limits) {
  Facts facts = profiles.facts();
  const KernelProfile* profile = profiles.in_answers;
  const KernelRows forward = profile == nullptr ? KernelRows() : profile->rows(Pass::kForward);
  const auto comparison = profile == nullptr ? std::nullopt : compare_softmax(limits, *profile);
  const double fused_ms = total_ms(rows_of_stage(forward, stage::kFused));
  const char* condition = forward.empty() ? "nothing"
                          : comparison    ? "one"
                          : fused_ms > 0  ? "fused"
                                          : "unassigned";
  Facts sentence = comparison ? attention_sentence(*comparison) : Facts();
  if (!comparison && profile != nullptr)
    sentence.set("profile", profile->full_name).set("ms", fused_ms, kThreeDigits);
  return facts.choose({"nothing", "one", "fused", "unassigned"}, condition, sentence);
}

}  // namespace

PartContent attention(const Profiles& profiles) {
  const Limits limits = measured_limits(profiles.view.run());
  PartContent part;
  part.facts = attention_facts(profiles, limits);
  part.datasets = {
      make_dataset("ratios", ratio_columns(), softmax_rows(limits, profiles.in_tables)),
      make_dataset("every-ratio", ratio_columns(), softmax_rows(limits, profiles.in_details))};
  add_roofline(profiles, limits, part);
  return part;
}

}  // namespace labreport::nsys_profile
