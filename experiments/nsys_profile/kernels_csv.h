// Every kernel of every profile by its full name, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

inline constexpr const char* kKernelsFile = "kernels.csv";

/// A row for each kernel of each phase, the most time first, after the columns profile, step and
/// phase those of Nsight Systems' kernel summary: shares of the phase in %, times in ns.
std::string kernels_csv(const std::vector<Profile>& profiles);

}  // namespace labreport::nsys_profile
