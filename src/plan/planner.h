// Defines the input and the output of the functions that plan the cells of experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/editions.h"
#include "results/run.h"
#include "results/run_labels.h"

namespace labreport {

enum class Preset { kFull, kQuick, kDemo };

template <>
inline constexpr auto kEnumNames<Preset> = enum_names<Preset>(
    "preset",
    {{Preset::kFull, kPresetFull}, {Preset::kQuick, kPresetQuick}, {Preset::kDemo, kPresetDemo}});

/// The name of the size that a step maker without hyper-parameters has.
inline constexpr const char* kOwnSize = "own";

/// The choices that the user made with flags. An empty member leaves the choice to the preset.
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
  std::optional<std::int64_t> ranks;  ///< Processes that train together.
  bool separate_warmups = false;
  std::optional<ModelSource> model;       ///< The user's network replaces labreport's network.
  bool keeps_labreports_network = false;  ///< labreport's network is measured besides `model`.
  std::vector<ModelSource> attentions;    ///< The user's attentions, in addition to PyTorch's.

  bool operator==(const Selection&) const = default;
};

struct PlanInput {
  Edition edition;
  Preset preset = Preset::kFull;
  Selection selection;
  DeviceKind device = DeviceKind::kCuda;
  Precision half_precision = Precision::kBf16;  ///< BF16, or FP16 on devices without BF16.
};

/// A cell and the number of launches that measure it, each with new processes.
struct PlannedCell {
  CellSpec spec;
  std::int64_t launches = 1;
  bool gpu_trace = false;  ///< See `LaunchRequest`; not part of the cell's id.
};

/// Returns the cells that an experiment needs, given the results so far. The caller measures the
/// cells that are not yet measured, and calls the function again until all returned cells are.
using PlanFunction = std::vector<PlannedCell> (*)(const PlanInput& input, const Run& so_far);

/// The values of each parameter, which planners combine to cells.
struct Axes {
  std::vector<Size> sizes;
  std::vector<std::int64_t> contexts;  ///< Only the reference context unless the user chose others.
  std::vector<Precision> precisions;   ///< Only FP32 unless the user chose others.
  std::int64_t batch = kHandoutBatch;
  std::int64_t warmup = 5;
  std::int64_t steps = 10;
  std::int64_t launches = 1;
};

/// Returns the sizes whose names `--sizes` accepts: the edition's sizes, or those of preset "demo".
std::vector<Size> known_sizes(const Edition& edition, Preset preset);

/// Returns the values of the preset, replaced by the user's selection. "full" has all sizes with 5
/// warm-up and 10 counted steps. "quick" has the edition's two smallest sizes with 2 and 5 steps.
/// "demo" has three tiny networks with 2 and 5 steps.
Axes axes(const PlanInput& input);

}  // namespace labreport
