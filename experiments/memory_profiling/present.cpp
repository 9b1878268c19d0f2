#include "experiments/problems.h"

#include "experiments/memory_profiling/presenters.h"
#include "results/run_labels.h"

namespace labreport::memory_profiling {
namespace {

using PresentPart = PartContent (*)(const RunView&, const std::vector<MemoryProfile>&);

constexpr std::pair<const char*, PresentPart> kParts[]{
    {"a", present_timelines}, {"b", present_peaks},   {"c", present_precisions},
    {"d", present_residual},  {"e", present_largest}, {"f", present_block}};

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<MemoryProfile> profiles = memory_profiles(view);
  if (profiles.empty()) return {};
  const auto precision = described_profiles(profiles).front()->spec.precision;
  Presentation parts;
  for (const auto& [name, present_part] : kParts) {
    const std::string letter = name;
    if (letter == "f" && view.edition().name != kEdition2026) continue;
    // A step of the user's may split its batch, so no formula gives the size of its tensors.
    if (letter == "d" && measures_own_step(view.run())) continue;
    PartContent part = present_part(view, profiles);
    for (const MemoryProfile& profile : profiles) {
      // Only part (c) shows cells in other precisions than that which the answers describe.
      if (letter != "c" && profile.spec.precision != precision) continue;
      for (const auto& [mode, step] : profile.steps) part.cells.push_back(step.cell);
    }
    parts.emplace(letter, std::move(part));
  }
  return parts;
}

}  // namespace labreport::memory_profiling
