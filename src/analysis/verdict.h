// Judges from the launches of two runs on one machine which run is faster.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/significance.h"
#include "base/table.h"

namespace labreport {

/// Says how B's time compares with A's.
enum class Verdict { kFaster, kSlower, kSame, kUnclear };

template <>
inline constexpr auto kEnumNames<Verdict> =
    enum_names<Verdict>("verdict", {{Verdict::kFaster, "faster"},
                                    {Verdict::kSlower, "slower"},
                                    {Verdict::kSame, "same"},
                                    {Verdict::kUnclear, "unclear"}});

/// A verdict needs this many launches on each side.
inline constexpr std::size_t kLaunchesForVerdict = 3;

/// The times of one row, whose verdict they decide.
struct RowSample {
  std::vector<double> a;  ///< The mean of each launch of A, in any order.
  std::vector<double> b;
  std::string disturbance = {};  ///< Makes the row unclear: "thermal slowdown"; may be empty.
};

/// The probability that any of the rows is falsely called faster or slower. In simulations with
/// normal logarithms it holds if neither side varies more than twice as much as the other
/// (docs/comparing.md).
inline constexpr double kVerdictAlpha = 0.05;

/// The smallest difference that matters in practice, as a ratio of times minus 1.
inline constexpr double kSmallestEffect = 0.01;

struct Judgment {
  Verdict verdict = Verdict::kUnclear;
  std::optional<double> ratio;    ///< B ÷ A of the geometric means; absent if a side has no launch.
  std::optional<WelchTest> test;  ///< Present if each side has two launches or more.
  std::optional<double> adjusted_p;  ///< Holm's p-value; present for rows of Holm's family.
  /// The smallest ratio above 1 that the row would have shown with 90 % power at the strictest
  /// alpha of Holm's family (the function `detectable_ratio`). Present for rows of that family.
  std::optional<double> detectable_ratio;
  std::string reason;  ///< A phrase that explains an unclear or equal result; may be empty.
};

/// Returns the verdict on one row, given Holm's adjusted p-value. With the smallest effect e:
///
/// - Faster or slower: p is below alpha, and the ratio is at least 1 + e or at most 1 / (1 + e).
/// - Same: the ratio's 1 − 2 alpha interval lies between 1 / (1 + e) and 1 + e. Two one-sided tests
///   at alpha then show equivalence (D. J. Schuirmann, Journal of Pharmacokinetics and
///   Biopharmaceutics 15 (1987), doi:10.1007/BF01068419).
/// - Unclear: all other cases.
Verdict verdict_of(const WelchTest& test, double adjusted_p);

/// Returns one judgment for each row, in the rows' order. No judgment depends on that order.
/// Swapping A and B inverts ratios and verdicts.
///
/// Rows with a disturbance or fewer than three launches on a side are unclear and left out of
/// Holm's family, the rows whose p-values are adjusted together. Neither property depends on which
/// side is faster. Rows with identical numbers on both sides are one measurement: their verdict is
/// same, even if they were disturbed.
std::vector<Judgment> judge_rows(std::span<const RowSample> rows);

}  // namespace labreport
