// Estimates the time and the disk space of a launch before anything is measured. The constants are
// fitted to recorded runs on an H100 and an H200, although one host starts processes 1.4 times as
// fast as the other. tests/cli/estimates_test.cpp requires 20 % accuracy for each run, and the
// right order for a demonstration on a CPU.
#pragma once

#include "results/cell.h"

namespace labreport {

/// Returns the duration of one launch in seconds, including process start and compilation.
/// `fp32_flops` is the FLOP/s that the device sustains over whole FP32 passes. A user's network is
/// treated like labreport's network of the same shape.
double estimated_seconds(const CellSpec& spec, double fp32_flops);

/// Returns the seconds from the start of a launch that does not fit the GPU to the end of its first
/// step, in which it runs out of memory.
double estimated_seconds_until_oom(const CellSpec& spec, double fp32_flops);

/// Returns the approximate bytes that one launch leaves on disk. Traces and snapshots grow with the
/// number of layers and with the passes of a step through each layer.
double estimated_disk_bytes(const CellSpec& spec);

}  // namespace labreport
