// Reads from a run how memory and time depend on the number of blocks per checkpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::gradient_checkpointing {

/// A number of blocks per checkpoint, which form a group, and the measurements with this number.
struct Spacing {
  const Cell* cell;
  std::string reason;  ///< Says why the training step has no numbers; empty if it has them.
  /// Peak bytes of forward and backward while AdamW has no state yet.
  std::optional<double> forward_backward_peak = {};
  /// Peak bytes of the training step; of forward and backward if the run has no training steps.
  std::optional<double> peak = {};
  std::optional<double> saved_bytes = {};       ///< Saved for backward when backward begins.
  std::optional<double> recomputed_bytes = {};  ///< Added by recomputing one group of blocks.
  std::vector<double> steps_ms = {};            ///< One time for each step after the warm-up.
  /// Forward, loss and backward in each step after the warm-up.
  std::vector<double> forward_backward_ms = {};
  std::optional<double> recompute_ms = {};  ///< The recomputation in one step.
  std::vector<double> losses = {};
  std::vector<double> forward_ms = {};  ///< The forward pass in each step after the warm-up.
  std::vector<std::string> flags = {};  ///< Says if the losses differ from the first spacing's.

  /// Returns the blocks per checkpoint; nothing without checkpoints.
  std::optional<std::int64_t> blocks() const { return cell->spec.blocks_per_checkpoint; }
  std::string words() const;  ///< "2"; "none"
  /// These calculate `forward_backward_peak` and `peak` by the formulas of plan/memory.h.
  double expected_forward_backward_peak() const;
  double expected_peak() const;
};

/// One network at one batch, context and precision.
struct CheckpointedNetwork {
  CellSpec spec;                  ///< Its `blocks_per_checkpoint` is not set.
  std::string words;              ///< "xl at context 2,048 in FP32"
  std::vector<Spacing> spacings;  ///< Smallest groups first; no checkpoints last.

  std::int64_t layers() const { return spec.model->layers; }
  /// Returns the spacing with the lowest `peak`; of equal ones, that with the lowest
  /// `forward_backward_peak`. Returns null if no spacing has both numbers.
  const Spacing* best() const;
  /// Returns the spacing with the next smaller groups. Below the smallest groups is the spacing
  /// without checkpoints, and below that null.
  const Spacing* with_smaller_groups(const Spacing& spacing) const;
  /// Returns the spacing with the next larger groups; null if there is none.
  const Spacing* with_larger_groups(const Spacing& spacing) const;
  const Spacing* without_checkpoints() const;  ///< Null if it was not planned.
  /// Returns the bytes of the activations between two blocks, which each checkpoint saves.
  double boundary_bytes() const;
  /// Returns the bytes that one block saves for backward, as measured or else as calculated.
  double block_bytes() const;
  bool block_bytes_are_measured() const;
};

/// Returns networks in plan order.
std::vector<CheckpointedNetwork> checkpointed_networks(const RunView& view);

}  // namespace labreport::gradient_checkpointing
