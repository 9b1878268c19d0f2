// The five parts of the profiling problem.
#pragma once

#include "document/section.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

inline constexpr const char* kProblem = "nsys_profile";

/// `profiles` is never empty.
PartContent present_clocks(const RunView& view, const std::vector<Profile>& profiles);
PartContent present_top_kernels(const RunView& view, const std::vector<Profile>& profiles);
PartContent present_other_kernels(const RunView& view, const std::vector<Profile>& profiles);
PartContent present_classes(const RunView& view, const std::vector<Profile>& profiles);
PartContent present_attention(const RunView& view, const std::vector<Profile>& profiles);

/// The table of what the answers speak of; in the drawer that of all profiles, where there are
/// more.
void add_table(PartContent& part, const RunView& view, const std::vector<Profile>& profiles,
               TableView (*table_of)(const std::vector<Profile>&));

}  // namespace labreport::nsys_profile
