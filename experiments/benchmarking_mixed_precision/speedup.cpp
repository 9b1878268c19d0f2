#include "experiments/benchmarking_mixed_precision/speedup.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/phases.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

/// The profile of the network's longest mode that ran; null if none did.
const Launch* profile_of(const RunView& view, const CellSpec& network) {
  const Cell* fullest = nullptr;
  for (const Cell* cell : view.cells(CellKind::kKernels)) {
    const bool warm = cell->spec.steps != 0 && ok_launch(*cell) != nullptr;
    if (!warm || !same_setting(cell->spec, network)) continue;
    if (fullest == nullptr || cell->spec.mode > fullest->spec.mode) fullest = cell;
  }
  return fullest == nullptr ? nullptr : ok_launch(*fullest);
}

std::optional<KernelTime> kernel_time(const Launch* profile, std::string_view phase) {
  if (profile == nullptr || phase.empty()) return std::nullopt;
  KernelTime time;
  for (const MeasuredRow& row : measured_rows(*profile, metric::kKernels)) {
    if (row.text(column::kPhase) != phase) continue;
    const std::string kind = row.text(column::kClass);
    double& sum = kind.starts_with("gemm") ? time.gemms
                  : kind == "copy"         ? time.copies
                                           : time.others;
    const auto ns = row.number(column::kTotalNs), launches = row.number(column::kInstances);
    if (!ns || !launches) return std::nullopt;
    sum += *ns / kNanosecondsPerMillisecond;
    time.launches += *launches;
  }
  const bool counts = time.total() > 0 && std::isfinite(time.total());
  return counts ? std::optional(time) : std::nullopt;
}

Network network(const RunView& view, const TimingGroup& group) {
  const Launch* profile = profile_of(view, group.spec);
  const auto step = longest_timed_launch(group);
  const auto lags = step ? device_lags(view, *step) : std::vector<PhaseLag>();
  const auto pass = [&](std::string_view phase, const std::vector<double>& ms) {
    const auto lag = std::ranges::find(lags, phase, &PhaseLag::phase);
    return Pass{
        .ms = ms,
        .kernels = kernel_time(profile, phase),
        .launch_bound = lag == lags.end() ? std::nullopt : std::optional(is_launch_bound(*lag))};
  };
  const PhaseTimes measured = phase_times(group);
  return {.group = &group,
          .forward = pass(metric::kForward, measured.forward),
          .backward = pass(metric::kBackward, measured.backward),
          .step = pass("", whole_step_times(group, Mode::kTrainStep)),
          .bound = step ? bound_of(view, *step) : std::nullopt};
}

/// The order of precisions; the answers compare the first one after FP32.
auto rank(const Network& network) {
  constexpr Precision kOrder[]{Precision::kFp32, Precision::kBf16, Precision::kFp16,
                               Precision::kTf32};
  return std::ranges::find(kOrder, *network.group->spec.precision) - std::begin(kOrder);
}

}  // namespace

std::string Network::size() const {
  const std::string suffix = ", " + std::string(precision());
  std::string label = group->label;
  if (label.ends_with(suffix)) label.resize(label.size() - suffix.size());
  return label;
}

std::string_view Network::precision() const { return describe(*group->spec.precision); }

std::string Network::missing() const {
  const auto& [mode, cell] = *group->cells.rbegin();  // A later mode contains the earlier ones.
  const std::string reason = reason_missing(*cell);
  return reason.empty() ? "" : std::string(describe(mode)) + ": " + reason;
}

std::optional<Ratio> Pair::speedup(Pass Network::* pass) const {
  return ratio_of((fp32->*pass).ms, (other->*pass).ms);
}

std::vector<Network> networks(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<Network> all;
  for (const TimingGroup& group : groups) {
    if (group.spec.precision && group.spec.model) all.push_back(network(view, group));
  }
  std::ranges::stable_sort(all, {}, [](const Network& network) {
    return std::tuple(network.group->context, parameter_count(*network.group->spec.model),
                      rank(network));
  });
  return all;
}

std::vector<Pair> pairs(const std::vector<Network>& networks) {
  std::vector<Pair> all;
  for (const Network& fp32 : networks) {
    if (fp32.group->spec.precision != Precision::kFp32) continue;
    for (const Network& other : networks) {
      const bool differs = other.group->spec.precision != Precision::kFp32;
      if (differs && same_network_and_batch(fp32.group->spec, other.group->spec))
        all.push_back({&fp32, &other});
    }
  }
  std::ranges::stable_sort(all, {}, [](const Pair& pair) { return rank(*pair.other); });
  return all;
}

std::vector<Pair> compared_pairs(const std::vector<Pair>& pairs, Pass Network::* pass) {
  return only(pairs, [&](const Pair& pair) {
    return pair.precision() == pairs.front().precision() && pair.speedup(pass);
  });
}

}  // namespace labreport::benchmarking_mixed_precision
