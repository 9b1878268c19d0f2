// Compares ladders of several GPUs. A ladder is a training step that becomes faster change by
// change.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/index/gpus.h"

namespace labreport {

/// One network's ladder on one GPU. The values of its quantity are the step's ms after each change.
struct GpuLadder {
  const GpuRuns* gpu;
  Series series;
  std::string network;  ///< "xl (3.4 B)"

  const Quantity& quantity() const { return *series.front().quantity; }
  /// Returns the step's ms after the change of that name, the value that topics show.
  Value ms(const std::string& change) const;
  Value first() const;
  Value best() const;  ///< The shortest time that the GPU sets.
  std::size_t changes_to_best() const;
};

/// Finds the ladder that most of these GPUs have, and returns it for each GPU that has it. A tie
/// goes to the larger network, then to reduced precision. A ladder counts only if its GPU sets the
/// first step and makes a later one faster. Empty if no GPU has a ladder. Points into `gpus`.
std::vector<GpuLadder> common_ladders(const std::vector<GpuRuns>& gpus);

/// Makes the dataset "ladders": a row for each change of each ladder, but for steps that the CPU
/// sets. Each links to its report from the site's root.
Dataset ladder_data(const std::vector<GpuLadder>& ladders);

}  // namespace labreport
