// Groups timing cells by network and reads their step times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/measures.h"
#include "document/view.h"

namespace labreport {

/// The cells of one network at one context, batch and precision, by mode.
struct TimingGroup {
  std::string label = {};                  ///< See `label_groups`: "2.7B", "2.7B, 512, BF16".
  CellSpec spec;                           ///< `mode` is not set.
  std::map<Mode, const Cell*> cells = {};  ///< The mode's cell with the most steps.
  std::map<Mode, const Cell*> first_step_cells = {};  ///< Cells of a single cold step, if any.
  /// Cells with fewer steps. Each times one warm-up window in its own process.
  std::vector<const Cell*> window_cells = {};
  std::string name = {};                     ///< The label without the context, for tables.
  std::optional<std::int64_t> context = {};  ///< Empty unless groups differ in it.
};

/// Groups the run's timing cells, in plan order.
std::vector<TimingGroup> timing_groups(const RunView& view);

/// Returns all `TimingGroup::cells` of the groups.
std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups);

/// Sets label, name and context. A label has context and precision only if groups differ in them.
void label_groups(std::vector<TimingGroup>& groups);

/// A timing cell with its successful launch. The pointers are never null.
struct TimedLaunch {
  const CellSpec* spec;
  const Launch* launch;

  /// A metric in ms, one value for each step after the warm-up. Empty if it was not measured.
  std::vector<double> ms_after_warmup(std::string_view tag, std::string_view name) const;
};

/// Returns false for a step of the user's that takes no batch, whose tokens are unknown.
bool takes_batch(const Launch& launch);

/// Returns nothing if the mode was not planned or has no successful launch.
std::optional<TimedLaunch> timed_launch(const TimingGroup& group, Mode mode);

/// Returns the launch of the longest mode that ran: a training step, or else forward+backward, …
std::optional<TimedLaunch> longest_timed_launch(const TimingGroup& group);

/// Says why a mode has no numbers: "out of memory in loss". Empty if it ran or was not planned.
std::string reason_missing(const TimingGroup& group, Mode mode);

/// Returns the launch that counted a step of the user's network; null for labreport's network, and
/// if counting failed.
const Launch* counted_launch(const RunView& view, const CellSpec& spec);

/// Returns the FLOPs of one step: of the GEMMs by formula, or of a user's network as they were
/// counted, with the optimizer and with recomputation. Nothing if they were not counted.
std::optional<double> flops_of_step(const RunView& view, const CellSpec& spec);

/// Returns "MFU", or "HFU" for a run of a user's network, whose FLOPs include recomputation.
std::string utilization_name(const RunView& view);

/// Returns flops_of_step() / `typical_time` of a step / peak_flop_rate().
std::optional<double> flops_utilization(const RunView& view, const TimedLaunch& timed);

/// Returns a metric that is a single number, in its unit; nothing if it was not measured.
std::optional<double> single_number(const Launch& launch, std::string_view tag,
                                    std::string_view name);

/// Names what disturbed a launch, except slowdowns: "shared GPU", "spilled to host memory".
std::vector<std::string> disturbances_except_slowdown(const Launch& launch);

/// Names all that disturbed the timed steps. Adds "thermal slowdown", "allocated in step" and
/// "outlier" (see `has_outlier`) to what `disturbances_except_slowdown` names.
std::vector<std::string> disturbances(const TimedLaunch& timed);

}  // namespace labreport
