// Presents the five parts of the profiling problem.
#pragma once

#include <vector>

#include "document/section.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

inline constexpr const char* kProblem = "nsys_profile";

/// `profiles` must hold at least one profile.
PartContent timer_vs_profiler(const Profiles& profiles);
PartContent top_kernels(const Profiles& profiles);
PartContent non_gemm_kernels(const Profiles& profiles);
PartContent kernel_classes(const Profiles& profiles);
PartContent attention(const Profiles& profiles);

/// The profile whose step part (d) draws; null if none was traced. Among the largest network's it
/// prefers steps that the profiler did not perturb, then the longest context, then 16 bits.
const Profile* drawn_step(const Profiles& profiles);

/// Returns "step-timeline", the picture's bars, with all traced steps for the page; "step-phases"
/// and "step-classes", its labels; and "step-times", a table. Empty if nothing was traced.
std::vector<Dataset> step_timeline(const Profiles& profiles);

}  // namespace labreport::nsys_profile
