// Reads activation checkpointing from a run, by network and number of blocks per checkpoint.
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
  /// Peak bytes of forward and backward while AdamW has no state yet.
  std::optional<double> passes_peak = {};
  /// Peak bytes of the training step; of forward and backward if the run has no training steps.
  std::optional<double> peak = {};
  std::optional<double> saved_bytes = {};   ///< Saved for backward when backward begins.
  std::optional<double> group_bytes = {};   ///< Added by recomputing one group of blocks.
  std::vector<double> steps_ms = {};        ///< One time for each step after the warm-up.
  std::vector<double> passes_ms = {};       ///< Forward, loss and backward of each of these steps.
  std::optional<double> recompute_ms = {};  ///< The recomputation in one step.
  std::vector<double> losses = {};

  /// Returns the blocks per checkpoint; nothing without checkpoints.
  std::optional<std::int64_t> blocks() const { return cell->spec.blocks_per_checkpoint; }
  std::string words() const;  ///< "2"; "none"
  /// These return `passes_peak` and `peak` as the arithmetic of plan/memory.h predicts them.
  double expected_passes_peak() const;
  double expected_peak() const;
};

/// One network at one batch, context and precision.
struct CheckpointedNetwork {
  CellSpec spec;                ///< Its `group` is not set.
  std::string words;            ///< "xl at context 2,048 in FP32"
  std::vector<Choice> choices;  ///< Sorted by group size; the one without checkpoints is last.

  std::int64_t layers() const { return spec.model->layers; }
  /// Returns the choice with the lowest `peak`; of equal ones, that with the lowest `passes_peak`.
  /// Choices that lack either number do not count. Returns null if none has both.
  const Choice* best() const;
  /// These return the choice with the next smaller or larger group size; null if there is none.
  /// `next_smaller` of the smallest group is the choice without checkpoints.
  const Choice* next_smaller(const Choice& choice) const;
  const Choice* next_larger(const Choice& choice) const;
  const Choice* without_checkpoints() const;  ///< Null if it was not planned.
  /// Returns the bytes of the activations between two blocks, which each checkpoint saves.
  double boundary_bytes() const;
  /// Returns the bytes that one block saves for backward, as measured or else as calculated.
  double block_bytes() const;
  bool residuals_are_measured() const;
};

/// Returns networks in plan order.
std::vector<CheckpointedNetwork> checkpointed_networks(const RunView& view);

}  // namespace labreport::gradient_checkpointing
