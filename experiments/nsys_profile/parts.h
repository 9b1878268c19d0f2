// The five parts of the profiling problem.
#pragma once

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

}  // namespace labreport::nsys_profile
