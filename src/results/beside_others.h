// Launches that other processes on the device may have spoiled.
#pragma once

#include "results/run.h"

namespace labreport {

/// Memory ran out while other processes were there. It is a result and is kept; its cell is
/// measured once more.
bool ran_out_beside_others(const Launch& launch);

}  // namespace labreport
