// Reads the measurements of activation checkpointing from a run: one for each network and number of
// blocks per checkpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::gradient_checkpointing {

/// A number of blocks per checkpoint and the measurements with it.
struct Choice {
  const Cell* cell;
  std::string reason;  ///< Says why the training step has no numbers; empty if it has them.
  std::optional<double> passes_peak = {};   ///< Peak bytes of forward and backward without AdamW's state.
  /// Peak bytes of the training step; of forward and backward if the run has no training steps.
  std::optional<double> peak = {};
  std::optional<double> saved_bytes = {};   ///< Bytes saved for backward when it begins.
  std::optional<double> group_bytes = {};   ///< Bytes that recomputing one group of blocks adds.
  std::vector<double> steps_ms = {};        ///< One time for each step after the warm-up.
  std::vector<double> passes_ms = {};       ///< Forward, loss and backward of each of these steps.
  std::optional<double> recompute_ms = {};  ///< The recomputation of one step.
  std::vector<double> losses = {};

  /// Blocks per checkpoint; nothing without checkpoints.
  std::optional<std::int64_t> blocks() const { return cell->spec.group; }
  std::string words() const;  ///< "2"; "none"
  /// The values of `held` and of `peak` that the arithmetic of plan/memory.h expects.
  double expected_passes_peak() const;
  double expected_peak() const;
};

/// One network at one batch, context and precision.
struct CheckpointedNetwork {
  CellSpec spec;                ///< `group` is not set.
  std::string words;            ///< "xl at context 2,048 in FP32"
  std::vector<Choice> choices;  ///< By ascending group size; no checkpoints last.

  std::int64_t layers() const { return spec.model->layers; }
  /// The choice with the lowest `peak`; among equal ones, with the lowest `held`. Choices that lack
  /// either number do not count. Null if none has both.
  const Choice* best() const;
  /// The choice with the next smaller or larger group size; null if there is none. Only `smaller`
  /// returns the choice without checkpoints, as next to the smallest group.
  const Choice* next_smaller(const Choice& choice) const;
  const Choice* next_larger(const Choice& choice) const;
  const Choice* without_checkpoints() const;  ///< The choice without checkpoints; null if it was not planned.
  /// Bytes of the activations between two blocks; each checkpoint saves them.
  double boundary_bytes() const;
  /// Bytes that one block saves for backward, measured when recomputing it or else calculated.
  double block_residual_bytes() const;
  bool residuals_are_measured() const;
};

/// Returns networks in plan order.
std::vector<CheckpointedNetwork> checkpointed_networks(const RunView& view);

}  // namespace labreport::gradient_checkpointing
