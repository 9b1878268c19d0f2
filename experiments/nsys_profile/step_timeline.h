// The traced training steps on a time axis: a picture of one, and all of them for the page.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// The profile whose step is drawn: the largest network's, in 16 bits if that was traced; null if
/// none was.
const Profile* drawn_step(const Profiles& profiles);

/// "step-timeline", the stretches of the picture, with all traced steps for the page; "step-phases"
/// and "step-classes", its labels; "step-times", the table below it. None where nothing was traced.
std::vector<Dataset> step_timeline(const Profiles& profiles);

}  // namespace labreport::nsys_profile
