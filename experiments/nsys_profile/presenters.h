// Declares how each of the five parts of the profiling problem is presented.
#pragma once

#include <vector>

#include "document/section.h"
#include "experiments/nsys_profile/profiles.h"

namespace labreport::nsys_profile {

inline constexpr const char* kProblem = "nsys_profile";

/// Each function presents one part. `profiles` must hold at least one profile.
PartContent timer_vs_profiler(const Profiles& profiles);
PartContent top_kernels(const Profiles& profiles);
PartContent non_gemm_kernels(const Profiles& profiles);
PartContent kernel_classes(const Profiles& profiles);
PartContent attention(const Profiles& profiles);

/// Returns the profile whose step part (d) draws; null if no step was traced. It prefers the
/// largest network, then a step that the profiler did not perturb, the longest context, and 16
/// bits.
const KernelProfile* profile_of_drawn_step(const Profiles& profiles);

/// Returns four datasets: "step-timeline", the bars of the figure, with all traced steps for the
/// live figure; "step-phases" and "step-classes", the labels of the figure; and "step-times", a
/// table. Empty if no step was traced.
std::vector<Dataset> step_timeline(const Profiles& profiles);

}  // namespace labreport::nsys_profile
