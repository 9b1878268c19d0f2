// Prepares the tables and sentences of a comparison: names of cells and sides, datasets and facts.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"
#include "document/dataset.h"
#include "document/facts.h"
#include "document/index/gpus.h"

namespace labreport {

/// Names a cell: "small, context 512, BF16, training step". FP32 is left out.
std::string cell_label(const CellSpec& spec, const std::string& size);

/// Describes a ratio of times: "11 % less time".
std::string time_change_words(double ratio);

/// Returns "labreport’s network", or the name of the user's model: "TransformerLM-0a1b2c3d".
std::string model_name(const ComparedRun& side);

/// The names of the sides: "the H200" in a sentence, "H200" as the title of a column. Sides are
/// named by their devices, or on one device by what differs: models, editions or times; else "A"
/// and "B".
struct SideNames {
  std::string a = "A", b = "B";
  std::string title_a = "A", title_b = "B";
};
SideNames side_names(const Comparison& comparison);

/// Begins a sentence with a side's name: "The H200" for "the H200". Models' names stay.
std::string with_capital_the(const std::string& name);

/// One number of one cell on both sides.
struct DiffRow {
  std::size_t number = 0;  ///< The row's number in links: "#row-3".
  const ComparedRow* compared = nullptr;
  std::vector<std::string> flags =
      {};  ///< "H200: thermal slowdown", "12 % less time than predicted"

  bool is_in_bytes() const { return unit(compared->measure) == "B"; }
};
DiffRow diff_row(std::size_t number, const ComparedRow& row, const SideNames& names);

/// True if the row has a verdict. A row that is unclear for want of launches has none.
bool is_judged(const ComparedRow& row);

/// Returns a row's cell in the column of verdicts: "▼ faster"; missing if the row has no verdict.
Value verdict_cell(const ComparedRow& row);

/// Makes three datasets of rows that are all times or all bytes:
///
/// - "ratios" has the rows, with B's speedup for times and B ÷ A for bytes.
/// - "drawn" has the rows with a ratio, for a figure; none unless there are several.
/// - "evidence" has a row for each side of each row, with the value of each launch.
std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows, const Comparison& comparison);

/// Makes the dataset "sides": device, model, edition and other facts of both runs.
Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b);

/// Makes the dataset "fits": cells that fit on one device and not on the other.
Dataset one_sided_fit_data(const Comparison& comparison);

/// Makes the dataset "lone": cells that only one run has, or that failed in both.
Dataset not_compared_data(const Comparison& comparison);

/// Makes the dataset "speedups": speedups over FP32 in each run. No rows unless both runs have one
/// of the same cell.
Dataset speedup_data(const Comparison& comparison);

/// Makes the datasets "places", one for each precision: the places of the network where the kernel
/// times of a step differ.
std::vector<Dataset> place_data(const Comparison& comparison);

/// Makes the dataset "kernels": the longest kernels of a class, if their families differ between
/// the runs.
Dataset kernel_data(const Comparison& comparison);

/// The summaries of both sides' GPUs: the compared run's first, then those of other runs, newest
/// first. A side without summaries has no runs.
struct SideRuns {
  GpuRuns a = {}, b = {};
  std::string root = {};  ///< The path from the document's page to the site's root.

  bool has_both() const { return !a.runs.empty() && !b.runs.empty(); }
};

/// True if the summary of either compared run calls the training step of the cell's network and
/// precision launch-bound.
bool is_launch_bound(const SideRuns& runs, const CellSpec& spec);

/// Precisions in the order in which sentences name them.
inline constexpr Precision kComparedPrecisions[]{Precision::kFp32, Precision::kTf32,
                                                 Precision::kBf16, Precision::kFp16};

/// The noun for rows of one kind: "timing", "timings".
struct RowNoun {
  const char* singular;
  const char* plural;
};

/// "the median of 55 timings", "the only timing that both runs have".
std::string describe_median(std::int64_t count, const RowNoun& noun);

/// Returns the facts of a problem's section: which side is ahead, by the median ratio of the rows
/// that are not launch-bound. `rows` are those of the tables, all in one unit. `problem_rows` are
/// all rows of the problem, in which the numbers that a side did not record are counted.
Facts section_facts(const std::vector<DiffRow>& rows,
                    const std::vector<const ComparedRow*>& problem_rows,
                    const Comparison& comparison, const SideRuns& runs, const RowNoun& noun);

/// Returns, for each precision, the facts of the place where the kernel times of the sides differ
/// most.
std::vector<Facts> place_facts(const Comparison& comparison);

/// Counts verdicts: "1 faster, 1 same and 1 unclear". Empty if no row has one.
std::string verdict_counts(const std::vector<DiffRow>& rows);

/// Returns the facts of the comparison's summary: the training step of the largest network in each
/// precision, and the optimizer's part in the difference if it explains most of it.
Facts summary_facts(const Comparison& comparison);

/// Returns the facts of the card: the tuned step, the step that fits on one side only, the ratio of
/// GPU prices at which a step costs the same on both sides, and the launch-bound steps.
Facts card_facts(const Comparison& comparison, const SideRuns& runs);

/// Returns the steps whose cost the page compares: the largest network's in reduced precision, and
/// the tuned one. Empty unless the hardware differs.
std::vector<PricedStep> priced_steps(const Comparison& comparison, const SideRuns& runs);

/// Makes the dataset "dots": training steps of both sides, without launch-bound ones.
Dataset step_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the dataset "launch-bound": training steps that are launch-bound on either side.
Dataset launch_bound_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the datasets "waterfall", one for each precision: from A's step of the largest network to
/// B's, by the time that each phase and kind of kernel adds or saves.
std::vector<Dataset> step_waterfall_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the dataset "others": quantities that both GPUs measured, in the compared runs or others.
Dataset other_data(const Comparison& comparison, const SideRuns& runs);

/// Says in plain text how the runs' machines are related, and what else a reader of ratios must
/// know.
std::string relation_words(const Comparison& comparison);

/// Explains in Markdown how the shown ratios, intervals, predictions and verdicts are computed.
std::string method_words(const Comparison& comparison);

}  // namespace labreport
