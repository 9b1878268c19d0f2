// Reads cells of checkpoints from a run, by network, with a choice for each group size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::gradient_checkpointing {

/// A number of blocks per checkpoint and the measurements made with it.
struct Choice {
  const Cell* cell;
  std::string reason;  ///< Why a number is missing; empty if none is.
  /// Bytes: the peak of forward and backward, before AdamW has states, and the peak of the training
  /// step. Without training steps both are of forward and backward.
  std::optional<double> held = {}, peak = {};
  std::optional<double> saved = {};     ///< Bytes, just before backward.
  std::optional<double> group = {};     ///< Bytes that one group adds when it runs again.
  std::vector<double> steps_ms = {};    ///< Counted steps.
  std::vector<double> passes_ms = {};   ///< Their forward, loss and backward alone.
  std::optional<double> again_ms = {};  ///< Recomputation.
  std::vector<double> losses = {};

  /// Blocks per checkpoint; nothing without checkpoints.
  std::optional<std::int64_t> blocks() const { return cell->spec.group; }
  std::string words() const;  ///< "2"; "none"
  /// The values of `held` and of `peak` that the arithmetic of plan/memory.h expects.
  double expected_held() const;
  double expected_peak() const;
};

/// One network at one batch, context and precision.
struct Checkpointed {
  CellSpec spec;                ///< The spec without a group.
  std::string words;            ///< "xl at context 2,048 in FP32"
  std::vector<Choice> choices;  ///< Smallest groups first, no checkpoints last.

  std::int64_t layers() const { return spec.model->layers; }
  /// The choice with the lowest peak, then the lowest `held`. Null if no peak is known.
  const Choice* best() const;
  /// Neighbors of a choice by group size. No checkpoints count as the smallest. Null if there is
  /// none.
  const Choice* smaller(const Choice& than) const;
  const Choice* larger(const Choice& than) const;
  const Choice* plain() const;  ///< The choice without checkpoints.
  /// Bytes between two blocks, which a checkpoint saves.
  double boundary() const;
  /// Bytes that one block leaves for backward: measured if a group ran again, else calculated.
  double residuals() const;
  bool measured_residuals() const;
};

/// In plan order.
std::vector<Checkpointed> checkpointed_networks(const RunView& view);

}  // namespace labreport::gradient_checkpointing
