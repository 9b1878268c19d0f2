// Presents the five parts of the profiling problem.
#pragma once

#include <vector>

#include "document/section.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

inline constexpr const char* kProblem = "nsys_profile";

/// `profiles` holds at least one.
PartContent timer_vs_profiler(const Profiles& profiles);
PartContent top_kernels(const Profiles& profiles);
PartContent non_gemm_kernels(const Profiles& profiles);
PartContent kernel_classes(const Profiles& profiles);
PartContent attention(const Profiles& profiles);

/// The profile whose step part (d) draws: the largest network's, in 16 bits if that was traced;
/// null if none was.
const Profile* drawn_step(const Profiles& profiles);

/// "step-timeline", the stretches of the picture, with all traced steps for the page; "step-phases"
/// and "step-classes", its labels; "step-times", the table below it. Empty if nothing was traced.
std::vector<Dataset> step_timeline(const Profiles& profiles);

}  // namespace labreport::nsys_profile
