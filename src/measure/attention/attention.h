// Kind `attention`: one causal attention by itself, at one sequence length after the other.
#pragma once

#include "results/run.h"

namespace labreport {

/// Checks the cell's implementation against FP64, then times it at each length, upward. Whatever
/// becomes of a length is its row of the table; the lengths behind one that ran out of memory are
/// not tried. Throws `InputError` where the cell names no sweep.
Launch measure_attention(const LaunchRequest& request);

}  // namespace labreport
