#include "experiments/memory_profiling/profile.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/phases.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

void label_profiles(std::vector<Profile>& profiles) {
  std::set<std::string> sizes;
  std::set<std::optional<Precision>> precisions;
  for (const Profile& profile : profiles) {
    sizes.insert(profile.spec.size);
    precisions.insert(profile.spec.precision);
  }
  for (Profile& profile : profiles) {
    const std::string context = format_count(profile.context());
    profile.words = profile.spec.size + " at context " + context;
    profile.setting = sizes.size() > 1 ? Value(profile.spec.size + ",\u00a0" + context)
                                       : Value(profile.context());
    profile.label = profile.setting;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(labreport::describe(*profile.spec.precision));
    profile.label = format_value(profile.setting, kRowNumber) + ",\u00a0" + precision;
  }
}

std::optional<Precision> main_precision(const std::vector<Profile>& profiles) {
  const auto precision = [](const Profile& profile) { return profile.spec.precision; };
  return precision(*std::ranges::min_element(profiles, {}, precision));
}

/// Returns the first profile in the main precision for which `predicate` holds; null if none does.
template <typename Predicate>
const Profile* first_with(const std::vector<Profile>& profiles, const Predicate& predicate) {
  const auto precision = main_precision(profiles);
  const auto first = std::ranges::find_if(profiles, [&](const Profile& profile) {
    return profile.spec.precision == precision && predicate(profile);
  });
  return first == profiles.end() ? nullptr : &*first;
}

bool has_any_peak(const Profile& profile) {
  return std::ranges::any_of(profile.steps | std::views::values,
                             [](const PlannedStep& step) { return step.why_no_peak().empty(); });
}

}  // namespace

bool PlannedStep::succeeded() const { return launch != nullptr && is_ok(launch->outcome); }

const OutOfMemory* PlannedStep::out_of_memory() const {
  return launch == nullptr ? nullptr : std::get_if<OutOfMemory>(&launch->outcome);
}

std::optional<double> PlannedStep::bytes(std::string_view tag, std::string_view name) const {
  const Metric* metric = launch == nullptr ? nullptr : launch->find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::optional<double> PlannedStep::category_bytes(std::string_view name) const {
  return bytes(metric::kCategory, name);
}

std::string PlannedStep::peak_phase() const {
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

std::string PlannedStep::why_no_peak() const {
  std::string reason = reason_missing(*cell);
  if (!reason.empty() || bytes(metric::kMemory, metric::kPeakAllocated)) return reason;
  const Metric* peak = launch->find(metric::kMemory, metric::kPeakAllocated);
  return peak == nullptr || peak->reason.empty() ? "no peak was measured" : peak->reason;
}

const PlannedStep* Profile::planned_step(Mode mode) const {
  const auto step = steps.find(mode);
  return step == steps.end() ? nullptr : &step->second;
}

const PlannedStep* Profile::measured_step(Mode mode) const {
  const PlannedStep* step = planned_step(mode);
  return step != nullptr && step->why_no_peak().empty() ? step : nullptr;
}

const PlannedStep* Profile::step_with_backward() const {
  const PlannedStep* step = measured_step(Mode::kTrainStep);
  return step != nullptr ? step : measured_step(Mode::kForwardBackward);
}

std::optional<double> Profile::peak_bytes(Mode mode) const {
  const PlannedStep* step = measured_step(mode);
  return step == nullptr ? std::nullopt : step->bytes(metric::kMemory, metric::kPeakAllocated);
}

std::string Profile::precision() const {
  return std::string(describe(spec.precision.value_or(Precision::kFp32)));
}

std::string phase_words(const std::string& phase) {
  return phase == metric::kOptimizer ? "the optimizer" : phase;
}

std::vector<Profile> profiles_of(const RunView& view) {
  std::vector<Profile> profiles;
  for (const Cell* cell : view.cells(CellKind::kMemory)) {
    auto profile = std::ranges::find_if(
        profiles, [&](const Profile& other) { return same_setting(other.spec, cell->spec); });
    if (profile == profiles.end()) {
      profile = profiles.insert(profiles.end(), Profile{"", "", "", cell->spec, {}});
      profile->spec.mode.reset();
    }
    const PlannedStep step{cell, representative(*cell)};
    const auto [entry, inserted] = profile->steps.emplace(step.mode(), step);
    // A cell that ran replaces a failed one of the same mode.
    if (!inserted && !entry->second.succeeded()) entry->second = step;
  }
  std::ranges::stable_sort(profiles, {}, [](const Profile& profile) {
    const std::int64_t parameters = parameter_count(profile.spec.model.value_or(ModelShape{}));
    return std::tuple(-parameters, profile.spec.precision, profile.context());
  });
  label_profiles(profiles);
  return profiles;
}

ProfileList select_all(const std::vector<Profile>& profiles) {
  return each(profiles, [](const Profile& profile) { return &profile; });
}

ProfileList select_precision(const std::vector<Profile>& profiles,
                             std::optional<Precision> precision) {
  return only(select_all(profiles),
              [precision](const Profile* profile) { return profile->spec.precision == precision; });
}

ProfileList select_same_network(const std::vector<Profile>& profiles, const Profile& profile,
                                Precision precision) {
  return only(select_precision(profiles, precision), [&](const Profile* other) {
    return other->spec.model == profile.spec.model && other->spec.batch == profile.spec.batch;
  });
}

ProfileList described_profiles(const std::vector<Profile>& profiles) {
  const Profile* chosen = first_with(
      profiles, [](const Profile& profile) { return profile.measured_step(Mode::kTrainStep); });
  if (chosen == nullptr) chosen = first_with(profiles, has_any_peak);
  if (chosen == nullptr) chosen = first_with(profiles, [](const Profile&) { return true; });
  return select_same_network(profiles, *chosen, chosen->spec.precision.value_or(Precision::kFp32));
}

ProfileList planned_in_full(const ProfileList& profiles) {
  const ProfileList full = only(profiles, [](const Profile* profile) {
    return profile->planned_step(Mode::kInference) != nullptr &&
           profile->planned_step(Mode::kTrainStep) != nullptr;
  });
  return full.empty() ? profiles : full;
}

bool any_peak_measured(const ProfileList& profiles) {
  return std::ranges::any_of(profiles,
                             [](const Profile* profile) { return has_any_peak(*profile); });
}

std::optional<Precision> reduced_precision(const std::vector<Profile>& profiles) {
  const auto first_precision = main_precision(profiles);
  for (const Precision precision :
       {Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp32}) {
    const auto has_precision = [&](const Profile& profile) {
      return profile.spec.precision == precision;
    };
    if (precision != first_precision && std::ranges::any_of(profiles, has_precision))
      return precision;
  }
  return std::nullopt;
}

double capacity_bytes(const RunView& view, const PlannedStep& step) {
  if (step.launch == nullptr || !step.launch->device) return 0;
  const auto index = static_cast<std::size_t>(*step.launch->device);
  const auto device_bytes = static_cast<double>(view.run().devices.at(index).memory_bytes);
  const Metric* limit = step.launch->find_condition(metric::kMemory, metric::kAllocatorLimit);
  return limit == nullptr ? device_bytes : limit->number().value_or(device_bytes);
}

std::string why_no_peaks(const Profile& profile) {
  std::vector<std::pair<Mode, std::string>> reasons;
  for (const auto& [mode, step] : profile.steps) reasons.emplace_back(mode, step.why_no_peak());
  return reasons_by_mode(reasons);
}

std::vector<std::string> warnings(const std::vector<Profile>& profiles) {
  std::vector<std::string> all;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      const std::string prefix = format_value(profile.label, kRowNumber) + ", " + mode_words(mode);
      for (const Launch& launch : step.cell->launches) {
        for (const std::string& warning : launch.warnings) all.push_back(prefix + ": " + warning);
      }
    }
  }
  return all;
}

void set_common_facts(Facts& facts, const RunView& view, const std::vector<Profile>& profiles) {
  const ProfileList described = described_profiles(profiles);
  facts.flag("nothing", !any_peak_measured(described));
  facts.flag("gpu", view.on_gpu());
  facts.set("size", described.front()->spec.size);
  facts.set("precision", described.front()->precision());
}

}  // namespace labreport::memory_profiling
