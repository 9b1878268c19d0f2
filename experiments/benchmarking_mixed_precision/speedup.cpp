#include "experiments/benchmarking_mixed_precision/speedup.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

MeasuredNetwork measured_network(const RunView& view, const TimingGroup& group) {
  const Launch* longest = longest_profile(view, group.spec);
  // Kernels of a cold step take as long as later ones.
  const Launch* profile = longest ? longest : profiled_first_step(view, group.spec);
  const PhaseTimes times = phase_times(group);
  const NetworkBounds bounds = network_bounds(view, group);
  return {.group = &group,
          .forward = {times.forward, kernel_times(profile, metric::kForward)},
          .backward = {times.backward, kernel_times(profile, metric::kBackward)},
          .step = {whole_step_times(group, Mode::kTrainStep), std::nullopt},
          .bound = bounds.bound(),
          .is_bound_profiled = bounds.is_profiled()};
}

/// Returns the precision's place in the order of rows. Answers compare FP32 with the next one.
auto precision_order(const MeasuredNetwork& network) {
  constexpr Precision kOrder[]{Precision::kFp32, Precision::kBf16, Precision::kFp16,
                               Precision::kTf32};
  return std::ranges::find(kOrder, *network.group->spec.precision) - std::begin(kOrder);
}

}  // namespace

std::string MeasuredNetwork::size_label() const {
  const std::string suffix = ", " + std::string(precision());
  std::string label = group->label;
  if (label.ends_with(suffix)) label.resize(label.size() - suffix.size());
  return label;
}

std::string_view MeasuredNetwork::precision() const { return describe(*group->spec.precision); }

std::string MeasuredNetwork::missing_reason() const {
  const auto& [mode, cell] = *group->cells.rbegin();  // A later mode contains the earlier ones.
  const std::string reason = reason_missing(*cell);
  return reason.empty() ? "" : std::string(describe(mode)) + ": " + reason;
}

std::optional<Ratio> PrecisionPair::speedup(PassOfNetwork pass) const {
  return ratio_of((fp32->*pass).times_ms, (other->*pass).times_ms);
}

std::optional<double> PrecisionPair::kernel_speedup(PassOfNetwork pass) const {
  const auto &of_fp32 = (fp32->*pass).kernels, &of_other = (other->*pass).kernels;
  return of_fp32 && of_other ? std::optional(of_fp32->total_ms() / of_other->total_ms())
                             : std::nullopt;
}

std::optional<Bound> PrecisionPair::bound() const {
  return fp32->bound && other->bound ? std::optional(std::min(*fp32->bound, *other->bound))
                                     : std::nullopt;
}

MeasuredNetworks measured_networks(const RunView& view, const std::vector<TimingGroup>& groups) {
  MeasuredNetworks all;
  for (const TimingGroup& group : groups) {
    if (group.spec.precision && group.spec.model) all.push_back(measured_network(view, group));
  }
  std::ranges::stable_sort(all, {}, [](const MeasuredNetwork& network) {
    return std::tuple(network.group->context, parameter_count(*network.group->spec.model),
                      precision_order(network));
  });
  return all;
}

PrecisionPairs precision_pairs(const MeasuredNetworks& networks) {
  PrecisionPairs all;
  for (const MeasuredNetwork& fp32 : networks) {
    if (fp32.group->spec.precision != Precision::kFp32) continue;
    for (const MeasuredNetwork& other : networks) {
      const bool differs = other.group->spec.precision != Precision::kFp32;
      if (differs && same_network_and_batch(fp32.group->spec, other.group->spec))
        all.push_back({&fp32, &other});
    }
  }
  std::ranges::stable_sort(all, {},
                           [](const PrecisionPair& pair) { return precision_order(*pair.other); });
  return all;
}

PrecisionPairs compared_pairs(const PrecisionPairs& pairs, PassOfNetwork pass) {
  return only(pairs, [&](const PrecisionPair& pair) {
    return pair.precision() == pairs.front().precision() && pair.speedup(pass);
  });
}

}  // namespace labreport::benchmarking_mixed_precision
