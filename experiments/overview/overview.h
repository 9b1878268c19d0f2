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
/// headline is the training step that the index of runs shows for the run.
struct Summary {
  Section section;
  Headline headline;
};

/// Returns nothing if no training step was timed.
std::optional<Summary> summary(const RunView& view);

/// Returns the numbers that pages over several runs show, topic by topic.
std::vector<Quantity> quantities(const RunView& view);

/// Returns device, start and quantities of a run that has no page. If the run measures labreport's
/// network and the user's model, the quantities are those of the user's model.
RunSummary run_summary(const Run& run);

/// Lists the cells without numbers and the reasons, a row for each network and context; empty if
/// all cells have numbers.
TableView missing_measurements(const RunView& view);

/// Returns "39 ok, 2 out of memory"; empty for a run without cells.
std::string outcome_counts(const Run& run);

/// Returns "39 of 41 measurements succeeded (2 out of memory)". It also tells how many were
/// repeated because other processes held the memory.
std::string outcome_line(const Run& run);

/// Counts the configurations of attention that ran out of memory within successful measurements,
/// and the measurements whose attention was inaccurate. Returns "" if there are none.
std::string attention_outcomes(const Run& run);

/// Lists versions, devices and variables of the run, a row each.
TableView environment_table(const RunView& view);

/// Returns "revision 1a2b3c4d · driver 580.95 · CUDA 13.0 · LibTorch 2.11.0".
std::string provenance(const RunView& view);

/// Pairs of a setting's name and its words: {"batch", "batch 4"}.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Returns the settings of `cells`, or of all cells of the run if `cells` is empty.
Settings settings_of(const RunView& view, std::vector<const Cell*> cells);

/// Returns the commands that repeat the run, one a line.
std::string repeating_commands(const Run& run);

/// Returns the text of "Method and limits", in Markdown.
std::string method_text(const RunView& view);

}  // namespace labreport::overview
