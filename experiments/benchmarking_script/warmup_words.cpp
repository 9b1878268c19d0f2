#include "experiments/benchmarking_script/warmup_words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "experiments/common/change.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kDeviations = 2;  // Of one step from the warm ones, to call it slow.

/// "+2.3 %"; where factors are told, "2.4 ×".
std::string rise_words(double rise, bool factor) {
  return factor ? format_factor(1 + rise) + " ×" : signed_rough_percent(rise) + " %";
}

/// The same as a factor, whichever of the two is larger.
double largest_factor(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  double largest = 1;
  for (const WarmupRow& row : rows) {
    const double ratio = 1 + row.mean_rise(warmup);
    if (ratio > 0) largest = std::max({largest, ratio, 1 / ratio});
  }
  return largest;
}

}  // namespace

bool any_factor(const std::vector<WarmupRow>& rows) {
  return std::ranges::any_of(
      rows, [](const WarmupRow& row) { return told_as_factor(1 + row.mean_rise(0)); });
}

std::string rise_range(const std::vector<WarmupRow>& rows) {
  const auto [low, high] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const auto& a, const auto& b) { return a.mean_rise(0) < b.mean_rise(0); });
  const bool factor = any_factor(rows);
  std::string from = rise_words(low->mean_rise(0), factor);
  const std::string to = rise_words(high->mean_rise(0), factor);
  if (rows.size() == 1) return from;
  if (from == to) return from + " in every row";
  return from + " (" + low->label + ") to " + to + " (" + high->label + ")";
}

double largest_residue(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  double largest = 0;
  for (const WarmupRow& row : rows) {
    largest = std::max(largest, std::abs(row.mean_rise(warmup)));
  }
  return largest;
}

std::string bound_words(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  const double factor = largest_factor(rows, warmup);
  if (told_as_factor(factor)) {
    const double unit = std::pow(10.0, std::floor(std::log10(factor)) - 1);  // Two digits.
    return "a factor of " + format_factor(std::ceil(factor / unit) * unit);
  }
  const double share = largest_residue(rows, warmup);
  const double step = share < 0.1 ? 1e-3 : 1e-2;
  return format_rough_percent(std::ceil(share / step) * step) + " %";
}

std::vector<std::string> unclear_rows(const std::vector<WarmupRow>& rows) {
  std::vector<std::string> labels;
  for (const WarmupRow& row : rows) {
    if (std::abs(row.mean_rise(0)) <= row.spread()) labels.push_back(row.label);
  }
  return labels;
}

bool stands_out(const WarmupRow& row) {
  return row.step_rise(1) > std::max(kNoticeable, kDeviations * row.spread());
}

const WarmupRow& slowest_second_step(const std::vector<WarmupRow>& rows) {
  return *std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(stands_out(a), a.step_rise(1)) < std::pair(stands_out(b), b.step_rise(1));
  });
}

}  // namespace labreport::benchmarking_script
