// Reads checkpointing's measurements from a run, by network and number of blocks per checkpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::gradient_checkpointing {

/// A number of blocks per checkpoint, and what was measured with it.
struct Choice {
  const Cell* cell;
  std::string reason;  ///< Why the training step has no numbers; empty if it has.
  /// Peaks in bytes: `held` of forward and backward while AdamW has no state yet, `peak` of the
  /// whole training step, or of forward and backward if the run has no training steps.
  std::optional<double> held = {}, peak = {};
  std::optional<double> saved = {};     ///< Bytes saved for backward when it begins.
  std::optional<double> group = {};     ///< Bytes that recomputing one group of blocks adds.
  std::vector<double> steps_ms = {};    ///< The counted steps.
  std::vector<double> passes_ms = {};   ///< Forward, loss and backward of each counted step.
  std::optional<double> again_ms = {};  ///< The recomputation of one step.
  std::vector<double> losses = {};

  /// Blocks per checkpoint; nothing without checkpoints.
  std::optional<std::int64_t> blocks() const { return cell->spec.blocks_per_checkpoint; }
  std::string words() const;  ///< "2"; "none"
  /// The values of `held` and of `peak` that the arithmetic of plan/memory.h expects.
  double expected_held() const;
  double expected_peak() const;
};

/// One network at one batch, context and precision.
struct Checkpointed {
  CellSpec spec;                ///< `group` is not set.
  std::string words;            ///< "xl at context 2,048 in FP32"
  std::vector<Choice> choices;  ///< By ascending group size; no checkpoints last.

  std::int64_t layers() const { return spec.model->layers; }
  /// The choice with the lowest `peak`; among equal ones, with the lowest `held`. Choices that lack
  /// either number do not count. Null if none has both.
  const Choice* best() const;
  /// The choice with the next smaller or larger group size; null if there is none. Only `smaller`
  /// returns the choice without checkpoints, as next to the smallest group.
  const Choice* smaller(const Choice& than) const;
  const Choice* larger(const Choice& than) const;
  const Choice* plain() const;  ///< The choice without checkpoints; null if it was not planned.
  /// Bytes of the activations between two blocks; each checkpoint saves them.
  double boundary() const;
  /// Bytes that one block saves for backward, measured when recomputing it or else calculated.
  double residuals() const;
  bool measured_residuals() const;
};

/// Returns networks in plan order.
std::vector<Checkpointed> checkpointed_networks(const RunView& view);

}  // namespace labreport::gradient_checkpointing
