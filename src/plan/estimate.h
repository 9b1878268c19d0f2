// How long a launch takes and what it leaves on disk, told before anything is measured.
//
// The constants are fitted to the launches of the recorded runs, of an H100 and an H200 whose hosts
// start processes at speeds 1.4 apart; tests/cli/estimates_test.cpp holds each run to 20 %.
#pragma once

#include "results/cell.h"

namespace labreport {

/// Seconds of one launch, its process start and compilation included, on a device that sustains
/// `fp32_flops` FLOP/s over passes in FP32. A network that nobody counted is taken for labreport's
/// own of its shape.
double estimated_seconds(const CellSpec& spec, double fp32_flops);

/// Seconds until a launch that does not fit the GPU runs out of memory: in its first step.
double estimated_seconds_until_oom(const CellSpec& spec, double fp32_flops);

/// Bytes that one launch leaves on disk, roughly: traces and snapshots grow with the layers and
/// with what a step does to each.
double estimated_disk_bytes(const CellSpec& spec);

}  // namespace labreport
