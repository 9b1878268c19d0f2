// Estimates the time and the disk space of a launch before anything is measured.
// The constants are fitted to the launches of the recorded runs on an H100 and an H200; their hosts
// start processes at speeds that differ by a factor of 1.4. tests/cli/estimates_test.cpp requires
// 20 % accuracy for each run.
#pragma once

#include "results/cell.h"

namespace labreport {

/// Returns the seconds of one launch, including process start and compilation, on a device that
/// sustains `fp32_flops` FLOP/s over passes in FP32. A user's network counts as labreport's network
/// of the same shape.
double estimated_seconds(const CellSpec& spec, double fp32_flops);

/// Returns the seconds until a launch that does not fit the GPU runs out of memory, in its first
/// step.
double estimated_seconds_until_oom(const CellSpec& spec, double fp32_flops);

/// Returns the approximate bytes that one launch leaves on disk. Traces and snapshots grow with the
/// number of layers and with the work of a step in each.
double estimated_disk_bytes(const CellSpec& spec);

}  // namespace labreport
