// Verdicts on two sides from their launches on one machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/significance.h"

namespace labreport {

/// B relative to A; values are times.
enum class Verdict { kFaster, kSlower, kSame, kUnclear };

std::string_view name(Verdict verdict);

inline constexpr std::size_t kLaunchesForVerdict = 3;  ///< launches on each side

struct RowSample {
  std::vector<double> a;  ///< The median of each launch, in any order.
  std::vector<double> b;
  std::string reason = {};  ///< A disturbance that makes the row unclear: "thermal slowdown"; empty
                            ///< if there is none.
};

struct JudgeOptions {
  /// The probability of any false faster or slower among all rows. In simulations with normal
  /// logarithms it holds as long as neither side varies more than twice as much as the other
  /// (docs/comparing.md).
  double alpha = 0.05;
  /// A ratio minus 1; smaller differences do not matter in practice.
  double smallest_effect = 0.01;
};

struct Judged {
  Verdict verdict = Verdict::kUnclear;
  std::optional<double> ratio;  ///< b / a; absent if a side has no launch.
  std::optional<Welch>
      test;  ///< Present from two launches on each side; holds the ratio's interval.
  std::optional<double> adjusted_p;  ///< Holm's p-value over the rows that could be judged.
  /// The ratio above 1 that would have been found with 90 % power, at Holm's first level
  /// (`detectable_ratio`). Present for rows that could be judged.
  std::optional<double> detectable;
  std::string reason;  ///< A phrase that explains an unclear or equal result; may be empty.
};

/// Judges one row, given Holm's adjusted p-value.
///
/// Faster or slower: p is below alpha, and the ratio is at least the smallest effect away from 1
/// (by 1 + e, or by 1 / (1 + e)). Same: two one-sided tests at alpha show equivalence, so the 1 − 2
/// alpha interval lies within the smallest effect, significant or not (D. J. Schuirmann, Journal of
/// Pharmacokinetics and Biopharmaceutics 15 (1987), doi:10.1007/BF01068419). Unclear: all other
/// cases.
Verdict verdict_of(const Welch& test, double adjusted_p, const JudgeOptions& options);

/// Returns one result for each row, in the rows' order; no result depends on that order. Swapping a
/// and b inverts ratios and verdicts.
///
/// Rows with a reason or fewer than three launches on a side are unclear and left out of Holm's
/// family (neither property depends on which side is faster). Rows with identical numbers on both
/// sides are the same measurement: their verdict is same, with that as the reason, even if they
/// were disturbed, and no test is made.
std::vector<Judged> judge(std::span<const RowSample> rows, const JudgeOptions& options = {});

}  // namespace labreport
