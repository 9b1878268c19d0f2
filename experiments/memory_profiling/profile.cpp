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

void name_profiles(std::vector<Profile>& profiles) {
  std::set<std::string> sizes;
  std::set<std::optional<Precision>> precisions;
  for (const Profile& profile : profiles) {
    sizes.insert(profile.spec.size);
    precisions.insert(profile.spec.precision);
  }
  for (Profile& profile : profiles) {
    const std::string context = format_count(profile.context());
    profile.words = profile.spec.size + " at context " + context;
    profile.place = sizes.size() > 1 ? Value(profile.spec.size + ",\u00a0" + context)
                                     : Value(profile.context());
    profile.label = profile.place;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(labreport::describe(*profile.spec.precision));
    profile.label = format_value(profile.place, kNamed) + ",\u00a0" + precision;
  }
}

std::optional<Precision> main_precision(const std::vector<Profile>& profiles) {
  const auto precision = [](const Profile& profile) { return profile.spec.precision; };
  return precision(*std::ranges::min_element(profiles, {}, precision));
}

/// The first profile in the main precision for which `predicate` holds; null if there is none.
template <typename Predicate>
const Profile* first_with(const std::vector<Profile>& profiles, const Predicate& predicate) {
  const auto precision = main_precision(profiles);
  const auto first = std::ranges::find_if(profiles, [&](const Profile& profile) {
    return profile.spec.precision == precision && predicate(profile);
  });
  return first == profiles.end() ? nullptr : &*first;
}

bool ran_at_all(const Profile& profile) {
  return std::ranges::any_of(profile.steps | std::views::values,
                             [](const Step& step) { return step.missing().empty(); });
}

}  // namespace

bool Step::ok() const { return launch != nullptr && is_ok(launch->outcome); }

const OutOfMemory* Step::out_of_memory() const {
  return launch == nullptr ? nullptr : std::get_if<OutOfMemory>(&launch->outcome);
}

std::optional<double> Step::bytes(std::string_view tag, std::string_view name) const {
  const Metric* metric = launch == nullptr ? nullptr : launch->find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::optional<double> Step::category(std::string_view name) const {
  return bytes(metric::kCategory, name);
}

std::string Step::peak_phase() const {
  std::string highest;
  std::optional<double> most;
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const auto peak = bytes(metric::kPeak, phase);
    if (peak > most) most = peak, highest = phase;  // An empty optional is less than any number.
  }
  return most >= bytes(metric::kMemory, metric::kPeakAllocated) ? highest : "";
}

std::string Step::missing() const {
  std::string reason = reason_missing(*cell);
  if (!reason.empty() || bytes(metric::kMemory, metric::kPeakAllocated)) return reason;
  const Metric* peak = launch->find(metric::kMemory, metric::kPeakAllocated);
  return peak == nullptr || peak->reason.empty() ? "no peak was measured" : peak->reason;
}

const Step* Profile::planned(Mode mode) const {
  const auto step = steps.find(mode);
  return step == steps.end() ? nullptr : &step->second;
}

const Step* Profile::ran(Mode mode) const {
  const Step* step = planned(mode);
  return step != nullptr && step->missing().empty() ? step : nullptr;
}

const Step* Profile::with_backward() const {
  const Step* step = ran(Mode::kTrainStep);
  return step != nullptr ? step : ran(Mode::kForwardBackward);
}

std::optional<double> Profile::peak(Mode mode) const {
  const Step* step = ran(mode);
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
        profiles, [&](const Profile& one) { return same_setting(one.spec, cell->spec); });
    if (profile == profiles.end()) {
      profile = profiles.insert(profiles.end(), Profile{"", "", "", cell->spec, {}});
      profile->spec.mode.reset();
    }
    const Step step{cell, representative(*cell)};
    const auto [known, inserted] = profile->steps.emplace(step.mode(), step);
    // A cell that ran replaces a failed one of the same mode.
    if (!inserted && !known->second.ok()) known->second = step;
  }
  std::ranges::stable_sort(profiles, {}, [](const Profile& profile) {
    const std::int64_t parameters = parameter_count(profile.spec.model.value_or(ModelShape{}));
    return std::tuple(-parameters, profile.spec.precision, profile.context());
  });
  name_profiles(profiles);
  return profiles;
}

Profiles all_of(const std::vector<Profile>& profiles) {
  return each(profiles, [](const Profile& profile) { return &profile; });
}

Profiles of_precision(const std::vector<Profile>& profiles, std::optional<Precision> precision) {
  return only(all_of(profiles),
              [precision](const Profile* profile) { return profile->spec.precision == precision; });
}

Profiles of_same_network(const std::vector<Profile>& profiles, const Profile& profile,
                         Precision precision) {
  return only(of_precision(profiles, precision), [&](const Profile* other) {
    return other->spec.model == profile.spec.model && other->spec.batch == profile.spec.batch;
  });
}

Profiles described_profiles(const std::vector<Profile>& profiles) {
  const Profile* chosen =
      first_with(profiles, [](const Profile& profile) { return profile.ran(Mode::kTrainStep); });
  if (chosen == nullptr) chosen = first_with(profiles, ran_at_all);
  if (chosen == nullptr) chosen = first_with(profiles, [](const Profile&) { return true; });
  return of_same_network(profiles, *chosen, chosen->spec.precision.value_or(Precision::kFp32));
}

Profiles planned_in_full(const Profiles& profiles) {
  const Profiles full = only(profiles, [](const Profile* profile) {
    return profile->planned(Mode::kInference) != nullptr &&
           profile->planned(Mode::kTrainStep) != nullptr;
  });
  return full.empty() ? profiles : full;
}

bool anything_ran(const Profiles& profiles) {
  return std::ranges::any_of(profiles, [](const Profile* profile) { return ran_at_all(*profile); });
}

std::optional<Precision> reduced_precision(const std::vector<Profile>& profiles) {
  const auto described = main_precision(profiles);
  for (const Precision precision :
       {Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp32}) {
    const auto has = [&](const Profile& profile) { return profile.spec.precision == precision; };
    if (precision != described && std::ranges::any_of(profiles, has)) return precision;
  }
  return std::nullopt;
}

double capacity(const RunView& view, const Step& step) {
  if (step.launch == nullptr || !step.launch->device) return 0;
  const auto index = static_cast<std::size_t>(*step.launch->device);
  const auto memory = static_cast<double>(view.run().devices.at(index).memory_bytes);
  const Metric* limit = step.launch->find_condition(metric::kMemory, metric::kAllocatorLimit);
  return limit == nullptr ? memory : limit->number().value_or(memory);
}

std::string reasons_missing(const Profile& profile) {
  std::vector<std::pair<Mode, std::string>> reasons;
  for (const auto& [mode, step] : profile.steps) reasons.emplace_back(mode, step.missing());
  return reasons_by_mode(reasons);
}

std::vector<std::string> warnings(const std::vector<Profile>& profiles) {
  std::vector<std::string> all;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      const std::string name = format_value(profile.label, kNamed) + ", " + mode_words(mode);
      for (const Launch& launch : step.cell->launches) {
        for (const std::string& warning : launch.warnings) all.push_back(name + ": " + warning);
      }
    }
  }
  return all;
}

void set_common(Facts& facts, const RunView& view, const std::vector<Profile>& profiles) {
  const Profiles described = described_profiles(profiles);
  facts.flag("nothing", !anything_ran(described));
  facts.flag("gpu", view.on_gpu());
  facts.set("size", described.front()->spec.size);
  facts.set("precision", described.front()->precision());
}

}  // namespace labreport::memory_profiling
