// What a report says of the run as a whole: what ran, where, by which method.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/section.h"
#include "document/summary.h"
#include "document/view.h"

namespace labreport::overview {

/// Where a training step's time goes and what reduced precision changes, and the step by which the
/// index knows the run.
struct Summary {
  Section section;
  Headline headline;
};

/// Nothing where no training step was timed.
std::optional<Summary> summary(const RunView& view);

/// The numbers that pages over several runs show, topic by topic.
std::vector<Quantity> quantities(const RunView& view);

/// The numbers of a run that has no page: device, time and quantities. Of a run that measures both
/// networks they are the user's model's.
RunSummary numbers(const Run& run);

/// Each cell that gave no numbers, with the reason; empty where all did.
TableView what_ran(const RunView& view);

/// "39 ok, 2 out of memory"; empty for a run without cells.
std::string outcome_counts(const Run& run);

/// "39 of 41 measurements succeeded (2 out of memory)", and how many were repeated because other
/// processes held the memory.
std::string outcome_line(const Run& run);

/// What ran out of memory inside of measurements that succeeded: a process sweeps the lengths of
/// attention. Empty where nothing did.
std::string outcome_within(const Run& run);

/// Versions, device and variables of the run, a row each.
TableView environment(const RunView& view);

/// "revision 1a2b3c4d · driver 580.95 · CUDA 13.0 · LibTorch 2.11.0"
std::string provenance(const RunView& view);

/// What was set for the cells that a part rests on (none: for all), each under what it is:
/// {"batch", "batch 4"}.
using Setting = std::vector<std::pair<std::string, std::string>>;
Setting setting(const RunView& view, std::vector<const Cell*> cells);

/// The commands that make the run again, one a line.
std::string reproduce(const Run& run);

/// "Method and limits", in Markdown.
std::string method(const RunView& view);

}  // namespace labreport::overview
