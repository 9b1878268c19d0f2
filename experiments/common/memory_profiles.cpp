#include "experiments/common/memory_profiles.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.h"
#include "plan/editions.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

void label_memory_profiles(std::vector<MemoryProfile>& profiles) {
  std::set<std::string> sizes;
  std::set<std::optional<Precision>> precisions;
  for (const MemoryProfile& profile : profiles) {
    sizes.insert(profile.spec.size);
    precisions.insert(profile.spec.precision);
  }
  for (MemoryProfile& profile : profiles) {
    const std::string context = format_count(profile.context());
    profile.words = profile.spec.size + " at context " + context;
    profile.setting = sizes.size() > 1 ? Value(profile.spec.size + ",\u00a0" + context)
                                       : Value(profile.context());
    profile.label = profile.setting;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(describe(*profile.spec.precision));
    profile.label = format_value(profile.setting, {Notation::kRowNumber}) + ",\u00a0" + precision;
  }
}

}  // namespace

bool MemoryStep::succeeded() const { return launch != nullptr && is_ok(launch->outcome); }

const OutOfMemory* MemoryStep::out_of_memory() const {
  return launch == nullptr ? nullptr : std::get_if<OutOfMemory>(&launch->outcome);
}

std::optional<double> MemoryStep::bytes(std::string_view tag, std::string_view name) const {
  return launch == nullptr ? std::nullopt : launch->number(tag, name);
}

std::optional<double> MemoryStep::category_bytes(std::string_view name) const {
  return bytes(metric::kCategory, name);
}

std::string MemoryStep::peak_phase() const {
  std::string highest_phase;
  std::optional<double> highest_peak;
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const auto peak = bytes(metric::kPeak, phase);
    if (peak > highest_peak)  // An empty optional is less than any number.
      highest_peak = peak, highest_phase = phase;
  }
  return highest_peak >= bytes(metric::kMemory, metric::kPeakAllocated) ? highest_phase : "";
}

std::string MemoryStep::why_no_peak() const {
  std::string reason = reason_missing(*cell);
  if (!reason.empty() || bytes(metric::kMemory, metric::kPeakAllocated)) return reason;
  const Metric* peak = launch->find(metric::kMemory, metric::kPeakAllocated);
  return peak == nullptr || peak->reason.empty() ? "no peak was measured" : peak->reason;
}

const MemoryStep* MemoryProfile::planned_step(Mode mode) const {
  const auto step = steps.find(mode);
  return step == steps.end() ? nullptr : &step->second;
}

const MemoryStep* MemoryProfile::measured_step(Mode mode) const {
  const MemoryStep* step = planned_step(mode);
  return step != nullptr && step->why_no_peak().empty() ? step : nullptr;
}

const MemoryStep* MemoryProfile::step_with_backward() const {
  const MemoryStep* step = measured_step(Mode::kTrainStep);
  return step != nullptr ? step : measured_step(Mode::kForwardBackward);
}

std::optional<double> MemoryProfile::peak_bytes(Mode mode) const {
  const MemoryStep* step = measured_step(mode);
  return step == nullptr ? std::nullopt : step->bytes(metric::kMemory, metric::kPeakAllocated);
}

std::string MemoryProfile::precision() const {
  return std::string(describe(spec.precision.value_or(Precision::kFp32)));
}

std::vector<MemoryProfile> memory_profiles(const RunView& view) {
  std::vector<MemoryProfile> profiles;
  for (const Cell* cell : view.cells(CellKind::kMemory)) {
    auto profile = std::ranges::find_if(
        profiles, [&](const MemoryProfile& other) { return same_setting(other.spec, cell->spec); });
    if (profile == profiles.end()) {
      profile = profiles.insert(profiles.end(), MemoryProfile{"", "", "", cell->spec, {}});
      profile->spec.mode.reset();
    }
    const MemoryStep step{cell, representative(*cell)};
    const auto [entry, inserted] = profile->steps.emplace(step.mode(), step);
    // A cell that ran replaces a failed one of the same mode.
    if (!inserted && !entry->second.succeeded()) entry->second = step;
  }
  std::ranges::stable_sort(profiles, {}, [](const MemoryProfile& profile) {
    const std::int64_t parameters = parameter_count(profile.spec.model.value_or(ModelShape{}));
    return std::tuple(-parameters, profile.spec.precision, profile.context());
  });
  label_memory_profiles(profiles);
  return profiles;
}

}  // namespace labreport
