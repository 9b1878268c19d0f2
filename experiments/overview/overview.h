// Presents the run as a whole: its outcome, environment and method.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/section.h"
#include "document/step_limits.h"
#include "document/summary.h"
#include "document/view.h"

namespace labreport::overview {

/// Returns the cells that the report of a run presents if these are not all: the run measures
/// labreport's network and the user's model, and the report is about the latter.
std::optional<Run> users_part(const Run& run);

/// Describes a run whose report presents the cells of `presented`. `reference` is true if the run
/// ships with the project.
RunDescription describe(const Run& run, const RunView& presented, bool reference);

/// Shows where a training step's time goes and what reduced precision changes. Returns nothing if
/// no training step was timed.
std::optional<Section> summary_section(const RunView& view);

/// Returns the training steps that represent the run; no network if no training step was timed.
Headline headline(const RunView& view);

/// Returns the training steps of the network that the summary compares, the reduced precision
/// first, by parts, and the last steps of ladders by passes. A step is left out if its profile or a
/// limit of the GPU is missing.
std::vector<LimitedStep> limited_steps(const RunView& view);

/// Returns the numbers that pages over several runs show, topic by topic.
std::vector<Quantity> quantities(const RunView& view);

/// Summarizes a run for pages over several runs. Its numbers come from the run alone. Title and
/// names of problems come from the run's report, because they are words of its sections, and so do
/// links: a quantity whose part the report lacks belongs to the whole page. With a report, beside
/// which the summary is kept, values are rounded to eight digits. The summary's folder is empty.
RunSummary run_summary(const Run& run, const Document* report = nullptr);

/// Lists the cells without numbers and the reasons, a row for each network and context; empty if
/// all cells have numbers.
TableView missing_measurements(const RunView& view);

/// Lists in one short line each the networks and contexts with cells without numbers, and the
/// reasons; empty if all cells have numbers.
TableView missing_networks(const RunView& view);

/// Returns "39 ok, 2 out of memory"; empty for a run without cells.
std::string outcome_counts(const Run& run);

/// Returns "39 of 41 measurements succeeded (2 out of memory)". It also tells how many were
/// repeated because other processes held the memory.
std::string outcome_line(const Run& run);

/// Returns sentences on the rows that a step of the user's lacks, each behind a space; empty for a
/// run of a network.
std::string own_step_words(const Run& run);

/// Counts the configurations of attention that ran out of memory within successful measurements,
/// and the measurements whose attention was inaccurate. Returns "" if there are none.
std::string attention_outcomes(const Run& run);

/// Lists versions, devices and variables of the run, a row each.
TableView environment_table(const RunView& view);

/// Lists the rows of `environment_table` that are about the first device, its host and their
/// software: pairs of a name and its words, {"Driver", "580.95"}.
std::vector<std::pair<std::string, std::string>> machine_facts(const RunView& view);

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
