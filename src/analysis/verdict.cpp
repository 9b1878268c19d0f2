#include "analysis/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/significance.h"

namespace labreport {
namespace {

constexpr std::array<std::string_view, 4> kVerdictNames{"faster", "slower", "same", "unclear"};

// Relative tolerance, so that an effect of exactly the smallest size counts despite rounding.
constexpr double kSameMedian = 1e-9;

std::size_t fewest_launches(const RowSample& row) { return std::min(row.a.size(), row.b.size()); }

/// Computes the parts of a result that depend on no other row.
Judged judged_alone(const RowSample& row) {
  Judged judged;
  const std::size_t launches = fewest_launches(row);
  if (launches > 0) judged.ratio = ratio_of(row.a, row.b);
  if (launches >= kLaunchesForInterval) judged.test = welch(row.a, row.b);
  if (!row.a.empty() && std::ranges::is_permutation(row.a, row.b)) {
    judged.verdict = Verdict::kSame;
    judged.reason = "the same measurements on both sides";
  } else if (!row.reason.empty()) {
    judged.reason = row.reason;
  } else if (launches < kLaunchesForVerdict) {
    judged.reason = "fewer than three launches a side";
  }
  return judged;
}

/// Returns the reason why a judged row has no stronger verdict.
std::string explain_verdict(const Judged& judged, const JudgeOptions& options) {
  const bool significant = *judged.adjusted_p < options.alpha;
  if (judged.verdict == Verdict::kUnclear) {
    return significant ? "differs, perhaps by less than the smallest effect of interest"
                       : "launches vary too much to tell";
  }
  if (judged.verdict == Verdict::kSame && significant) {
    return "differs by less than the smallest effect of interest";
  }
  return "";
}

}  // namespace

std::string_view name(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

Verdict verdict_of(const Welch& test, double adjusted_p, const JudgeOptions& options) {
  const double least = std::log1p(options.smallest_effect);
  const double effect = std::log(test.ratio);
  if (adjusted_p < options.alpha && std::abs(effect) >= least * (1 - kSameMedian)) {
    return effect < 0 ? Verdict::kFaster : Verdict::kSlower;
  }
  const auto [lower, upper] = test.interval(1 - 2 * options.alpha);
  const bool equivalent = std::log(lower) > -least && std::log(upper) < least;
  return equivalent ? Verdict::kSame : Verdict::kUnclear;
}

std::vector<Judged> judge(std::span<const RowSample> rows, const JudgeOptions& options) {
  std::vector<Judged> all;
  std::vector<std::size_t> family;
  std::vector<double> p_values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    all.push_back(judged_alone(rows[row]));
    if (!rows[row].reason.empty() || fewest_launches(rows[row]) < kLaunchesForVerdict) continue;
    family.push_back(row);
    p_values.push_back(all.back().test->p);
  }
  const std::vector<double> adjusted = holm(p_values);
  const double first_level = options.alpha / static_cast<double>(family.size());
  for (std::size_t i = 0; i < family.size(); ++i) {
    Judged& judged = all[family[i]];
    judged.adjusted_p = adjusted[i];
    judged.detectable = detectable_ratio(*judged.test, first_level, options.smallest_effect);
    if (judged.verdict == Verdict::kSame) continue;
    judged.verdict = verdict_of(*judged.test, adjusted[i], options);
    judged.reason = explain_verdict(judged, options);
  }
  return all;
}

}  // namespace labreport
