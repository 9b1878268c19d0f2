#include "experiments/memory_profiling/forward_groups.h"

#include <algorithm>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

std::vector<Group> groups_of(const Launch& launch) {
  std::vector<Group> groups;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLargest)) {
    groups.push_back(
        {row.number(column::kBytes).value_or(0), row.number(column::kCount).value_or(0),
         row.text(column::kModule), row.text(column::kOperation), row.text(column::kOperator),
         row.text(column::kCategory), row.text(column::kFreed), row.text(column::kLayers)});
  }
  std::ranges::stable_sort(groups, std::greater(), &Group::bytes);
  return groups;
}

std::optional<Forward> forward_of(const Profile& profile, bool grad) {
  std::vector<Mode> modes{Mode::kForward, Mode::kTrainStep, Mode::kForwardBackward};
  if (!grad) modes = {Mode::kInference};
  for (const Mode mode : modes) {
    const Step* step = profile.ran(mode);
    if (step == nullptr) continue;
    Forward forward{&profile, step, groups_of(*step->launch)};
    if (!forward.groups.empty()) return forward;
  }
  return grad ? forward_of(profile, false) : std::nullopt;
}

}  // namespace

std::vector<Forward> forwards_of(const Profiles& profiles, bool grad) {
  std::vector<Forward> found;
  for (const Profile* profile : profiles) {
    if (auto forward = forward_of(*profile, grad)) found.push_back(std::move(*forward));
  }
  return found;
}

std::vector<Group> largest_of(const std::vector<Group>& groups) {
  std::vector<Group> found;
  for (const Group& group : groups) {
    if (group.bytes != groups.front().bytes) continue;
    const auto same = std::ranges::find_if(found, [&](const Group& other) {
      return other.operation == group.operation && other.module == group.module;
    });
    same == found.end() ? found.push_back(group) : void(same->count += group.count);
  }
  return found;
}

}  // namespace labreport::memory_profiling
