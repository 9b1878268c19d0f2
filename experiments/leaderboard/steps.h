// Reads the leaderboard's steps from a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/traced_parts.h"
#include "document/view.h"
#include "plan/leaderboard.h"
#include "results/leaderboard_rung.h"

namespace labreport::leaderboard {

/// One step, by a rung of labreport's or by the user.
struct Step {
  const Cell* cell;
  std::string words;                        ///< "cuDNN attention"; the user's own name
  std::string reason;                       ///< Why it has no times; empty if it has.
  bool is_too_large = false;                ///< True if it was skipped for its memory.
  std::vector<double> steps_ms = {};        ///< The slowest rank's, after the warm-up.
  std::vector<double> benched_ms = {};      ///< By do_bench's method; empty if it was not used.
  std::optional<double> peak_bytes = {};    ///< By rank 0's allocator.
  std::optional<double> first_step_s = {};  ///< In which torch.compile compiles.
  std::vector<double> losses = {};          ///< One for each step.
  std::vector<TracedPart> parts = {};       ///< See traced_parts(); empty without a trace.

  bool ran() const { return !steps_ms.empty(); }
  double mean_ms() const;
  double ms_of(PartKind kind) const;  ///< 0 without a trace.
};

/// All steps of the run on networks of one depth, in plan order.
struct Steps {
  CellSpec spec;  ///< Tells the deepest network with a step that ran, or else the first.
  std::vector<Step> steps;
  std::vector<Step> too_deep;        ///< Steps of networks that did not fit.
  std::optional<Step> benched = {};  ///< The fastest step once more, also by do_bench's method.

  const Step* first_run() const;
  const Step* fastest() const;
};

/// Returns nothing if the run has no step of the leaderboard.
std::optional<Steps> steps_of(const RunView& view);

}  // namespace labreport::leaderboard
