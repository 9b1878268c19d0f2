#include "experiments/benchmarking_script/present.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/benchmarking_script/parts.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr const char* kDurations = "benchmarking_script-b";

/// The largest network of which anything ran, in the run's first precision.
const TimingGroup* largest(const std::vector<TimingGroup>& groups) {
  const TimingGroup* found = nullptr;
  std::int64_t most = 0;
  for (const TimingGroup& group : groups) {
    if (phases(group).forward.empty() || !group.spec.model) continue;
    const std::int64_t parameters = parameter_count(*group.spec.model);
    const bool same = found != nullptr && found->spec.model == group.spec.model;
    if (parameters >= most && !same) {
      most = parameters;
      found = &group;
    }
  }
  return found;
}

void add(std::vector<Glance>& glance, const std::string& what, const TimingGroup& group,
         const std::vector<double>& samples) {
  if (samples.empty()) return;
  glance.push_back({what + ", " + group.label, mean_cell(samples).text + " ms", kDurations});
}

std::vector<Glance> glance(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<Glance> numbers;
  const TimingGroup* group = largest(groups);
  if (group == nullptr) return numbers;
  const Phases times = phases(*group);
  add(numbers, "Forward", *group, times.forward);
  add(numbers, "Backward", *group, times.backward);
  if (const auto step = timed(*group, Mode::kTrainStep)) {
    add(numbers, "Train step", *group, step->counted(metric::kStep, metric::kTotal));
  }
  if (const auto step = timed(*group, Mode::kForwardBackward)) {
    if (const auto share = share_of_peak(view, *step)) {
      numbers.push_back({"Of measured " + std::string(describe(*step->spec->precision)) +
                             " peak, " + group->label,
                         format_percent(*share) + " %", kDurations});
    }
  }
  return numbers;
}

/// A network that another problem wants in another precision begins with its longest mode, which a
/// lesser one follows where it does not fit: it is no row here, as long as others were timed mode
/// by mode.
bool timed_by_mode(const TimingGroup& group) {
  const auto planned = [](const auto& entry) { return entry.second; };  // In the run's order.
  const Mode first = std::ranges::min_element(group.cells, {}, planned)->first;
  return first == Mode::kInference || first == Mode::kForward;
}

std::vector<TimingGroup> own_groups(const RunView& view) {
  std::vector<TimingGroup> groups = timing_groups(view);
  if (std::ranges::none_of(groups, timed_by_mode)) return groups;
  std::erase_if(groups, [](const TimingGroup& group) { return !timed_by_mode(group); });
  label_groups(groups);
  return groups;
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<TimingGroup> groups = own_groups(view);
  if (groups.empty()) return {};
  Presentation shown{.parts = {{"a", present_program(view, groups)},
                               {"b", present_durations(view, groups)},
                               {"c", present_warmup(view, groups)}},
                     .glance = glance(view, groups)};
  for (auto& [letter, part] : shown.parts) part.cells = cells_of(groups);
  return shown;
}

}  // namespace labreport::benchmarking_script
