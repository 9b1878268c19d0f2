#include "experiments/benchmarking_mixed_precision/speedup.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/format.h"
#include "plan/editions.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

std::optional<Bound> bound_of(const TimingGroup& group) {
  const auto step = fullest(group);
  return step ? bound(*step) : std::nullopt;
}

bool fits(const TimingGroup& group) {
  return std::ranges::none_of(group.cells, [](const auto& entry) {
    const Launch* launch = representative(*entry.second);
    return launch != nullptr && does_not_fit(launch->outcome);
  });
}

/// The mode that holds most, of those that ran in both.
std::optional<Mode> common_mode(const TimingGroup& base, const TimingGroup& reduced) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (timed(base, mode) && timed(reduced, mode)) return mode;
  }
  return std::nullopt;
}

std::optional<double> step_share(const RunView& view, const TimingGroup& group,
                                 std::optional<Mode> mode) {
  const auto step = mode ? timed(group, *mode) : std::nullopt;
  return step ? share_of_peak(view, *step) : std::nullopt;
}

/// BF16 before FP16 before TF32.
int rank(const Speedup& row) {
  if (row.reduced_precision == Precision::kBf16) return 0;
  return row.reduced_precision == Precision::kFp16 ? 1 : 2;
}

Speedup compare(const RunView& view, const TimingGroup& base, const TimingGroup& reduced,
                const std::string& size) {
  Speedup row;
  row.size = size;
  row.reduced_precision = reduced.spec.precision.value_or(Precision::kBf16);
  row.precision = describe(row.reduced_precision);
  const auto mode = common_mode(base, reduced);
  row.base_share = step_share(view, base, mode);
  row.reduced_share = step_share(view, reduced, mode);
  row.base_fits = fits(base);
  row.reduced_fits = fits(reduced);
  row.parameters = static_cast<double>(parameter_count(*base.spec.model));
  row.base = phases(base);
  row.reduced = phases(reduced);
  row.base_step = whole_step(base, Mode::kTrainStep);
  row.reduced_step = whole_step(reduced, Mode::kTrainStep);
  row.forward = ratio_of(row.base.forward, row.reduced.forward);
  row.backward = ratio_of(row.base.backward, row.reduced.backward);
  row.step = ratio_of(row.base_step, row.reduced_step);
  row.base_bound = bound_of(base);
  row.reduced_bound = bound_of(reduced);
  if (const auto step = fullest(reduced)) row.reduced_lags = device_lags(*step);
  row.base_missing = missing_step(base);
  row.reduced_missing = missing_step(reduced);
  return row;
}

}  // namespace

std::string missing_step(const TimingGroup& group) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (!group.cells.contains(mode)) continue;
    const std::string reason = reason_missing(group, mode);
    return reason.empty() ? "" : std::string(describe(mode)) + ": " + reason;
  }
  return "";
}

std::vector<Speedup> speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const bool several_contexts = std::ranges::any_of(groups, [&](const TimingGroup& group) {
    return group.spec.context != groups.front().spec.context;
  });
  std::vector<Speedup> rows;
  for (const TimingGroup& base : groups) {
    if (base.spec.precision != Precision::kFp32 || !base.spec.model) continue;
    for (const TimingGroup& reduced : groups) {
      if (reduced.spec.precision == Precision::kFp32) continue;
      if (!same_network(base.spec, reduced.spec)) continue;
      std::string size = base.spec.size;
      if (several_contexts) size += ", " + format_count(base.spec.context.value_or(0));
      rows.push_back(compare(view, base, reduced, size));
    }
  }
  std::ranges::stable_sort(rows, {},
                           [](const Speedup& row) { return std::pair(rank(row), row.parameters); });
  return rows;
}

}  // namespace labreport::benchmarking_mixed_precision
