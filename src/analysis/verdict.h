// Faster, slower, same or unclear: what launches on one machine say about two sides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/significance.h"

namespace labreport {

/// Of B against A, where the values are times.
enum class Verdict { kFaster, kSlower, kSame, kUnclear };

/// "faster", "slower", "same", "unclear"
std::string_view name(Verdict verdict);

inline constexpr std::size_t kLaunchesForVerdict = 3;  ///< a side

/// One row of a comparison. Medians are above 0 and in one unit for both sides.
struct RowSample {
  std::vector<double> a;  ///< One median a launch, in any order.
  std::vector<double> b;
  std::string reason = {};  ///< Why it must be unclear: "thermal slowdown"; empty: it need not.
};

struct JudgeOptions {
  /// The probability of any false faster or slower among all rows. Simulated on normal logarithms
  /// it holds while neither side varies more than twice as much as the other (docs/comparing.md).
  double alpha = 0.05;
  double smallest_effect = 0.01;  ///< A ratio minus 1; what is smaller interests nobody.
};

struct Judged {
  Verdict verdict = Verdict::kUnclear;
  std::optional<double> ratio;       ///< b / a; absent where a side has no launch.
  std::optional<Welch> test;         ///< From two launches a side; holds the ratio's interval.
  std::optional<double> adjusted_p;  ///< By Holm, over the rows that could be judged.
  /// The ratio above 1 that would have been found with 90 % power, at Holm's first level
  /// (`detectable_ratio`); for the rows that could be judged.
  std::optional<double> detectable;
  std::string reason;  ///< Why not more can be said, or why it is the same: a phrase; may be empty.
};

/// The rule for one row, given Holm's adjusted p-value.
///
/// Faster or slower: that p is below alpha and the ratio is at least the smallest effect away from
/// 1 (by 1 + e, or by 1 / (1 + e)). Same: equivalence is shown, by two one-sided tests at alpha,
/// that is, the 1 − 2 alpha interval lies within the smallest effect, significant or not (D. J.
/// Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987),
/// doi:10.1007/BF01068419). Unclear: all else.
Verdict verdict_of(const Welch& test, double adjusted_p, const JudgeOptions& options);

/// One result a row, in the rows' order; none depends on that order. Swapping a and b inverts
/// ratios and verdicts.
///
/// Rows with a reason or fewer than three launches a side are unclear and left out of Holm's family
/// (neither depends on which side is faster). Rows whose sides hold the very same numbers are a
/// measurement beside itself: they are the same whatever disturbed it, with that as the reason;
/// nothing is inferred from them.
std::vector<Judged> judge(std::span<const RowSample> rows, const JudgeOptions& options = {});

}  // namespace labreport
