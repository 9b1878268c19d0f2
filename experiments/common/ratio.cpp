#include "experiments/common/ratio.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/outliers.h"
#include "base/statistics.h"

namespace labreport {
namespace {

// A ratio falls if it is below this multiple of its predecessor.
constexpr double kFallBelow = 0.98;
// Ratios grow if the last is at least this multiple of the first.
constexpr double kGrowFrom = 1.05;

/// True if the ratios differ by more than the root of the sum of their squared deviations.
bool distinguishable(const Ratio& a, const Ratio& b) {
  return std::abs(a.value - b.value) > std::hypot(a.deviation, b.deviation);
}

}  // namespace

bool Ratio::is_clear() const { return std::abs(value - 1) > deviation; }

bool Ratio::is_certain() const {
  constexpr double kLargestShare = 0.1;
  return is_clear() && deviation <= kLargestShare * value;
}

std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator) {
  if (numerator.empty() || denominator.empty() || typical_time(denominator) <= 0)
    return std::nullopt;
  const double value = typical_time(numerator) / typical_time(denominator);
  const auto variation = [](const std::vector<double>& times) {
    return summarize(without_outlier(times)).coefficient_of_variation();
  };
  return Ratio{value, value * std::hypot(variation(numerator), variation(denominator))};
}

std::vector<std::string> outlier_remark(const std::string& pass,
                                        const std::vector<double>& times_ms) {
  if (!has_outlier(times_ms)) return {};
  return {"mean of " + pass + " without it " + format_significant(typical_time(times_ms)) + " ms"};
}

std::optional<double> variation_of(const std::vector<double>& samples) {
  if (samples.size() < 2) return std::nullopt;
  return summarize(samples).coefficient_of_variation();
}

Trend trend_of(const std::vector<Ratio>& ratios) {
  if (ratios.size() < 2) return Trend::kAlike;
  const Ratio &first = ratios.front(), &last = ratios.back();
  const bool last_is_larger = last.value >= kGrowFrom * first.value && distinguishable(first, last);
  const auto falls = [](const Ratio& before, const Ratio& after) {
    return after.value < kFallBelow * before.value && distinguishable(before, after);
  };
  if (last_is_larger && std::ranges::adjacent_find(ratios, falls) == ratios.end())
    return Trend::kGrows;
  const auto [low, high] = std::ranges::minmax_element(ratios, {}, &Ratio::value);
  if (format_ratio(low->value) == format_ratio(high->value)) return Trend::kAlike;
  return distinguishable(*low, *high) ? Trend::kUneven : Trend::kUnclear;
}

}  // namespace labreport
