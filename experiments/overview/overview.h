// Presents the run as a whole: its outcome, environment and method.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/section.h"
#include "document/summary.h"
#include "document/view.h"

namespace labreport::overview {

/// The section shows where a training step's time goes and what reduced precision changes. The
/// headline is the training step that the index of runs lists for the run.
struct Summary {
  Section section;
  Headline headline;
};

/// Returns nothing if no training step was timed.
std::optional<Summary> summary(const RunView& view);

/// The numbers that pages over several runs show, topic by topic.
std::vector<Quantity> quantities(const RunView& view);

/// The numbers of a run that has no page: device, time and quantities. If the run measures both
/// networks, the numbers are those of the user's model.
RunSummary numbers(const Run& run);

/// The cells without numbers and the reasons, a row for each network and context; empty if all
/// cells have numbers.
TableView what_ran(const RunView& view);

/// "39 ok, 2 out of memory"; empty for a run without cells.
std::string outcome_counts(const Run& run);

/// "39 of 41 measurements succeeded (2 out of memory)", and how many were repeated because other
/// processes held the memory.
std::string outcome_line(const Run& run);

/// Counts configurations of attention that ran out of memory in successful measurements, which
/// sweep many, and those of these measurements that were inaccurate. Empty if there are none.
std::string outcome_within(const Run& run);

/// Versions, device and variables of the run, a row each.
TableView environment(const RunView& view);

/// "revision 1a2b3c4d · driver 580.95 · CUDA 13.0 · LibTorch 2.11.0"
std::string provenance(const RunView& view);

/// The settings of the cells by name, {"batch", "batch 4"}; without cells, those of the whole run.
using Setting = std::vector<std::pair<std::string, std::string>>;
Setting setting(const RunView& view, std::vector<const Cell*> cells);

/// The commands that repeat the run, one a line.
std::string reproduce(const Run& run);

/// "Method and limits", in Markdown.
std::string method(const RunView& view);

}  // namespace labreport::overview
