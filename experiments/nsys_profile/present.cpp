#include "experiments/nsys_profile/present.h"

#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {
namespace {

using PresentPart = PartContent (*)(const RunView&, const std::vector<Profile>&);

constexpr std::pair<const char*, PresentPart> kParts[]{{"a", present_clocks},
                                                       {"b", present_top_kernels},
                                                       {"c", present_other_kernels},
                                                       {"d", present_classes},
                                                       {"e", present_attention}};

}  // namespace

void add_table(PartContent& part, const RunView& view, const std::vector<Profile>& profiles,
               TableView (*table_of)(const std::vector<Profile>&)) {
  const std::vector<Profile> first = spoken_of(view, profiles);
  part.tables.push_back(table_of(first));
  if (first.size() == profiles.size()) return;
  TableView all = table_of(profiles);
  all.slug += "-all";
  all.title += ", every profile";
  part.drawer.tables.push_back(std::move(all));
}

Presentation present(const RunView& view) {
  const std::vector<Profile> profiles = profiles_of(view);
  if (profiles.empty()) return {};
  Presentation shown;
  for (const auto& [letter, present_part] : kParts) {
    PartContent part = present_part(view, profiles);
    for (const Profile& profile : profiles) {
      part.cells.insert(part.cells.end(), profile.cells.begin(), profile.cells.end());
    }
    shown.parts.emplace(letter, std::move(part));
  }
  return shown;
}

}  // namespace labreport::nsys_profile
