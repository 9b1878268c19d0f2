#include "experiments/memory_profiling/selected_profiles.h"

#include <algorithm>
#include <ranges>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/phases.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

std::optional<Precision> main_precision(const std::vector<MemoryProfile>& profiles) {
  const auto precision = [](const MemoryProfile& profile) { return profile.spec.precision; };
  return precision(*std::ranges::min_element(profiles, {}, precision));
}

bool has_any_peak(const MemoryProfile& profile) {
  return std::ranges::any_of(profile.steps | std::views::values,
                             [](const MemoryStep& step) { return step.why_no_peak().empty(); });
}

}  // namespace

std::string phase_words(const std::string& phase) {
  return phase == metric::kOptimizer ? "the optimizer" : phase;
}

ProfileList select_all(const std::vector<MemoryProfile>& profiles) {
  return each(profiles, [](const MemoryProfile& profile) { return &profile; });
}

ProfileList select_precision(const std::vector<MemoryProfile>& profiles,
                             std::optional<Precision> precision) {
  return only(select_all(profiles), [precision](const MemoryProfile* profile) {
    return profile->spec.precision == precision;
  });
}

ProfileList select_same_network(const std::vector<MemoryProfile>& profiles,
                                const MemoryProfile& profile, Precision precision) {
  return only(select_precision(profiles, precision), [&](const MemoryProfile* other) {
    return other->spec.model == profile.spec.model && other->spec.batch == profile.spec.batch;
  });
}

ProfileList described_profiles(const std::vector<MemoryProfile>& profiles) {
  const auto measured = [](const MemoryProfile* profile) {
    return profile->measured_step(Mode::kTrainStep) != nullptr ? 2 : has_any_peak(*profile) ? 1 : 0;
  };
  const auto precision = main_precision(profiles);
  // The first of those with the most measured is the largest network.
  const ProfileList candidates = select_precision(profiles, precision);
  return select_same_network(profiles, **std::ranges::max_element(candidates, {}, measured),
                             precision.value_or(Precision::kFp32));
}

ProfileList planned_in_full(const ProfileList& profiles) {
  const ProfileList full = only(profiles, [](const MemoryProfile* profile) {
    return profile->planned_step(Mode::kInference) != nullptr &&
           profile->planned_step(Mode::kTrainStep) != nullptr;
  });
  return full.empty() ? profiles : full;
}

bool any_peak_measured(const ProfileList& profiles) {
  return std::ranges::any_of(profiles,
                             [](const MemoryProfile* profile) { return has_any_peak(*profile); });
}

std::optional<Precision> reduced_precision(const std::vector<MemoryProfile>& profiles) {
  const auto first_precision = main_precision(profiles);
  for (const Precision precision :
       {Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp32}) {
    if (precision != first_precision && !select_precision(profiles, precision).empty())
      return precision;
  }
  return std::nullopt;
}

double capacity_bytes(const RunView& view, const MemoryStep& step) {
  if (step.launch == nullptr || !step.launch->device) return 0;
  const auto index = static_cast<std::size_t>(*step.launch->device);
  const auto device_bytes = static_cast<double>(view.run().devices.at(index).memory_bytes);
  const Metric* limit = step.launch->find_condition(metric::kMemory, metric::kAllocatorLimit);
  return limit == nullptr ? device_bytes : limit->number().value_or(device_bytes);
}

std::string why_no_peaks(const MemoryProfile& profile) {
  std::vector<std::pair<Mode, std::string>> reasons;
  for (const auto& [mode, step] : profile.steps) reasons.emplace_back(mode, step.why_no_peak());
  return reasons_by_mode(reasons);
}

std::vector<std::string> warnings(const std::vector<MemoryProfile>& profiles) {
  std::vector<std::string> all;
  for (const MemoryProfile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      const std::string prefix = format_value(profile.label, kRowNumber) + ", " + mode_words(mode);
      for (const Launch& launch : step.cell->launches) {
        for (const std::string& warning : launch.warnings) all.push_back(prefix + ": " + warning);
      }
    }
  }
  return all;
}

void set_common_facts(Facts& facts, const std::vector<MemoryProfile>& profiles) {
  const ProfileList described = described_profiles(profiles);
  facts.flag("nothing", !any_peak_measured(described));
  facts.set("size", described.front()->spec.size);
  facts.set("precision", described.front()->precision());
}

}  // namespace labreport::memory_profiling
