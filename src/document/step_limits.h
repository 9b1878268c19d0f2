// Shows how much of a training step's time its work needs at the limits of the GPU.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A part of a step: its GPU time, forward and backward together, and the work that it needs at
/// least, as plan/part_work.h calculates it.
struct StepBlock {
  std::string part;
  double ms = 0, flops = 0, bytes = 0;
};

/// A training step by parts, and the limits of the GPU that ran it. The names of the members are
/// keys of summary.json.
struct LimitedStep {
  std::string network = {};    ///< "2.7B"
  double parameters = 0;       ///< Number of parameters, which identifies the network.
  std::string precision = {};  ///< "BF16"
  std::string setting = {};    ///< "context 512, batch 4"
  bool tuned = false;          ///< True for the last step of a ladder, whose parts are passes.
  double ms = 0;               ///< The whole step, unprofiled.
  double flop_rate = 0;        ///< FLOP/s of the run's fastest GEMM.
  double bandwidth = 0;        ///< B/s of a copy.
  /// The time of a tuned step's GEMMs and AdamW at data-sheet peaks; 0 if no sheet is known.
  double data_sheet_ms = 0;
  std::vector<StepBlock> blocks = {};

  /// True if network, precision and setting are equal.
  bool is_same_step(const LimitedStep& other) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepBlock, part, ms, flops, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LimitedStep, network, parameters, precision, setting, tuned, ms,
                                   flop_rate, bandwidth, data_sheet_ms, blocks)

/// Draws the steps of the largest network, but for tuned ones: a block for each part and one for
/// the time in which the GPU idles, and below them the first tuned step of that network, precision
/// and setting. Of equal steps only the first is drawn. Figures are variants of one another; paper
/// shows the first. `gpu` is empty where the page names the GPU.
std::vector<Figure> step_limits_figures(const std::vector<LimitedStep>& steps,
                                        const std::string& gpu);

}  // namespace labreport
