// What an experiment is asked when a run is planned, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/editions.h"
#include "results/run.h"

namespace labreport {

enum class Preset { kFull, kQuick, kDemo };

std::string_view name(Preset preset);
Preset parse_preset(std::string_view text);

/// Everything the user may narrow or change, already checked. Empty means "the preset's own".
struct Selection {
  std::vector<std::string> only;  ///< "experiment" or "experiment.part"
  std::vector<Size> sizes;
  std::vector<std::int64_t> contexts;
  std::vector<Precision> precisions;
  std::vector<Mode> modes;
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> vocab;
  std::optional<std::int64_t> warmup;
  std::optional<std::int64_t> steps;
  std::optional<std::int64_t> launches;
  bool separate_warmups = false;
  std::optional<ModelSource> model;      ///< In place of labreport's own network …
  bool both = false;                     ///< … or beside it.
  std::optional<ModelSource> attention;  ///< Beside PyTorch's own.

  /// What of it is the user's code.
  const std::optional<ModelSource>& source() const { return model ? model : attention; }

  bool operator==(const Selection&) const = default;
};

struct PlanInput {
  Edition edition;
  Preset preset = Preset::kFull;
  Selection selection;
  DeviceKind device = DeviceKind::kCuda;
  Precision half = Precision::kBf16;  ///< The 16-bit format that the device multiplies in.
};

/// A cell and how many fresh processes measure it.
struct PlannedCell {
  CellSpec spec;
  std::int64_t launches = 1;
  bool gpu_trace = false;  ///< See `LaunchRequest`; no part of the cell's id.
};

/// Results so far → the cells still wanted (also those already measured; the caller knows). Called
/// again after each answer is complete, until it asks for nothing new.
using PlanFunction = std::vector<PlannedCell> (*)(const PlanInput& input, const Run& so_far);

/// The axes after selection: what planners iterate over.
struct Axes {
  std::vector<Size> sizes;
  std::vector<std::int64_t> contexts;  ///< The user's, or the reference context alone.
  std::vector<Precision> precisions;   ///< The user's, or FP32 alone.
  std::int64_t batch = kHandoutBatch;
  std::int64_t warmup = 5;
  std::int64_t steps = 10;
  std::int64_t launches = 1;
};

/// The sizes whose names `--sizes` knows: the edition's, or the demonstration's own.
std::vector<Size> known_sizes(const Edition& edition, Preset preset);

/// Applies preset and selection: full is all sizes, 5 + 10 steps; quick is the edition's two
/// smallest, 2 + 5 steps; demo is tiny networks of our own (same names as none of the handout's).
Axes axes(const PlanInput& input);

}  // namespace labreport
