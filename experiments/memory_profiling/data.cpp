#include "experiments/problems.h"

#include "experiments/memory_profiling/parts.h"

namespace labreport::memory_profiling {
namespace {

using PresentPart = PartContent (*)(const RunView&, const std::vector<Profile>&);

constexpr std::pair<const char*, PresentPart> kParts[]{
    {"a", present_timelines}, {"b", present_peaks},   {"c", present_precisions},
    {"d", present_residual},  {"e", present_largest}, {"f", present_block}};

/// (f) came with the 2026 edition.
bool asked(const RunView& view, const std::string& letter) {
  return letter != "f" || view.edition().name == "2026";
}

/// Part (c) needs the cells of both precisions, the others those of one.
std::vector<const Cell*> cells_of(const std::vector<Profile>& profiles, const std::string& letter) {
  const auto own = answered(profiles).front()->spec.precision;
  std::vector<const Cell*> cells;
  for (const Profile& profile : profiles) {
    if (letter != "c" && profile.spec.precision != own) continue;
    for (const auto& [mode, step] : profile.steps) cells.push_back(step.cell);
  }
  return cells;
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<Profile> profiles = profiles_of(view);
  if (profiles.empty()) return {};
  Presentation shown;
  for (const auto& [letter, present_part] : kParts) {
    if (!asked(view, letter)) continue;
    PartContent part = present_part(view, profiles);
    part.cells = cells_of(profiles, letter);
    shown.emplace(letter, std::move(part));
  }
  return shown;
}

}  // namespace labreport::memory_profiling
