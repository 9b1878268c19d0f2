#include "experiments/nsys_profile/present.h"

#include "experiments/nsys_profile/operator_words.h"
#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {
namespace {

struct PartOf {
  const char* letter;
  PartContent (*present)(const RunView&, const std::vector<Profile>&);
  bool forward_only = false;  ///< It asks for nothing but a forward pass.
};

constexpr PartOf kParts[]{{"a", present_clocks},
                          {"b", present_top_kernels},
                          {"c", present_other_kernels, true},
                          {"d", present_classes},
                          {"e", present_attention, true}};

/// Where a forward pass is known, nothing is missing of it.
std::vector<Profile> for_forward(std::vector<Profile> profiles) {
  for (Profile& profile : profiles) {
    if (!rows_of(profile, Pass::kForward).empty()) profile.missing.clear();
  }
  return profiles;
}

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
  const std::vector<Profile> forward = for_forward(profiles);
  for (const auto& [letter, present_part, forward_only] : kParts) {
    PartContent part = present_part(view, forward_only ? forward : profiles);
    if (!view.on_gpu()) say_operators(part);
    for (const Profile& profile : profiles) {
      part.cells.insert(part.cells.end(), profile.cells.begin(), profile.cells.end());
    }
    shown.parts.emplace(letter, std::move(part));
  }
  return shown;
}

}  // namespace labreport::nsys_profile
