// Compares ladders of several GPUs. A ladder is a training step made faster one change at a time.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "document/index/gpus.h"

namespace labreport {

/// The newest ladder of one network on one GPU; its times are in ms.
struct GpuLadder {
  const GpuRuns* gpu;
  const Quantity* quantity;

  double first_ms() const { return quantity->values.front().second; }
  double best_ms() const;
};

/// The ladder that most of these GPUs have, one entry for each GPU that has it. A tie goes to the
/// larger network, then to reduced precision. Empty if no GPU has a ladder. Points into `gpus`.
std::vector<GpuLadder> common_ladders(const std::vector<GpuRuns>& gpus);

/// "ladders": a row for each change of each ladder.
Dataset ladder_rungs(const std::vector<GpuLadder>& ladders);

}  // namespace labreport
