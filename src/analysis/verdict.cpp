#include "analysis/verdict.h"

#include <algorithm>
#include <cmath>

namespace labreport {
namespace {

// An effect equal to the smallest one counts even if its logarithm is this fraction too small.
constexpr double kRoundingTolerance = 1e-9;

std::size_t fewest_launches(const RowSample& row) { return std::min(row.a.size(), row.b.size()); }

/// Computes the parts of a judgment that depend on no other row.
Judgment judge_alone(const RowSample& row) {
  Judgment judgment;
  const std::size_t launches = fewest_launches(row);
  if (launches > 0) judgment.ratio = ratio_of(row.a, row.b);
  if (launches >= kLaunchesForInterval) judgment.test = welch_test(row.a, row.b);
  if (!row.a.empty() && std::ranges::is_permutation(row.a, row.b)) {
    judgment.verdict = Verdict::kSame;
    judgment.reason = "the same measurements on both sides";
  } else if (!row.disturbance.empty()) {
    judgment.reason = row.disturbance;
  } else if (launches < kLaunchesForVerdict) {
    judgment.reason = "fewer than three launches a side";
  }
  return judgment;
}

/// Says why a row of Holm's family is neither faster nor slower.
std::string explain_verdict(const Judgment& judgment) {
  const bool significant = *judgment.adjusted_p < kVerdictAlpha;
  if (judgment.verdict == Verdict::kUnclear) {
    return significant ? "differs, perhaps by less than the smallest effect of interest"
                       : "launches vary too much to tell";
  }
  if (judgment.verdict == Verdict::kSame && significant) {
    return "differs by less than the smallest effect of interest";
  }
  return "";
}

}  // namespace

Verdict verdict_of(const WelchTest& test, double adjusted_p) {
  const double smallest_log_effect = std::log1p(kSmallestEffect);
  const double log_effect = std::log(test.ratio);
  if (adjusted_p < kVerdictAlpha &&
      std::abs(log_effect) >= smallest_log_effect * (1 - kRoundingTolerance)) {
    return log_effect < 0 ? Verdict::kFaster : Verdict::kSlower;
  }
  const auto [lower, upper] = test.interval(1 - 2 * kVerdictAlpha);
  const bool equivalent =
      std::log(lower) > -smallest_log_effect && std::log(upper) < smallest_log_effect;
  return equivalent ? Verdict::kSame : Verdict::kUnclear;
}

std::vector<Judgment> judge_rows(std::span<const RowSample> rows) {
  std::vector<Judgment> judgments;
  std::vector<std::size_t> holm_family;  // indices of rows
  std::vector<double> p_values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    judgments.push_back(judge_alone(rows[row]));
    if (!rows[row].disturbance.empty() || fewest_launches(rows[row]) < kLaunchesForVerdict)
      continue;
    holm_family.push_back(row);
    p_values.push_back(judgments.back().test->p_value);
  }
  const std::vector<double> adjusted_p_values = holm_adjusted(p_values);
  const double strictest_alpha = kVerdictAlpha / static_cast<double>(holm_family.size());
  for (std::size_t i = 0; i < holm_family.size(); ++i) {
    Judgment& judgment = judgments[holm_family[i]];
    judgment.adjusted_p = adjusted_p_values[i];
    judgment.detectable_ratio = detectable_ratio(*judgment.test, strictest_alpha, kSmallestEffect);
    if (judgment.verdict == Verdict::kSame) continue;
    judgment.verdict = verdict_of(*judgment.test, adjusted_p_values[i]);
    judgment.reason = explain_verdict(judgment);
  }
  return judgments;
}

}  // namespace labreport
