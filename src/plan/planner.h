// The input and the output of an experiment's planning.
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

/// The user's checked choices. An empty member leaves the preset's choice.
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
  std::optional<ModelSource> model;      ///< Replaces labreport's own network, unless `both`.
  bool both = false;                     ///< Measures labreport's network in addition to `model`.
  std::optional<ModelSource> attention;  ///< Measured in addition to PyTorch's attention.

  /// Returns the user's code, if there is any.
  const std::optional<ModelSource>& source() const { return model ? model : attention; }

  bool operator==(const Selection&) const = default;
};

struct PlanInput {
  Edition edition;
  Preset preset = Preset::kFull;
  Selection selection;
  DeviceKind device = DeviceKind::kCuda;
  Precision half = Precision::kBf16;  ///< The 16-bit format that the device supports in hardware.
};

/// A cell and the number of fresh processes that measure it.
struct PlannedCell {
  CellSpec spec;
  std::int64_t launches = 1;
  bool gpu_trace = false;  ///< See `LaunchRequest`; not part of the cell's id.
};

/// Returns the cells that an experiment needs, given the results so far. The caller skips cells
/// that are already measured, measures the others and calls again, until there are no others.
using PlanFunction = std::vector<PlannedCell> (*)(const PlanInput& input, const Run& so_far);

/// The values after selection that planners combine to cells.
struct Axes {
  std::vector<Size> sizes;
  std::vector<std::int64_t> contexts;  ///< The user's, or only the reference context.
  std::vector<Precision> precisions;   ///< The user's, or only FP32.
  std::int64_t batch = kHandoutBatch;
  std::int64_t warmup = 5;
  std::int64_t steps = 10;
  std::int64_t launches = 1;
};

/// Returns the sizes that `--sizes` accepts: the edition's, or for `kDemo` the demonstration's.
std::vector<Size> known_sizes(const Edition& edition, Preset preset);

/// Applies preset and selection. "full" has all sizes with 5 warm-up and 10 counted steps, "quick"
/// the edition's two smallest with 2 and 5, "demo" tiny networks of its own with 2 and 5.
Axes axes(const PlanInput& input);

}  // namespace labreport
