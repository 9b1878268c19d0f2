// Prepares what tables and sentences of a comparison need: datasets, facts, names of cells and
// sides.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"
#include "document/dataset.h"
#include "document/facts.h"
#include "document/index/gpus.h"

namespace labreport {

/// "small, context 512, BF16, training step": FP32 is not named.
std::string cell_label(const CellSpec& spec, const std::string& size);

/// Words for a measured ratio of times over its prediction: "11 % less time".
std::string departure_words(double departure);

/// "labreport’s network", "TransformerLM-0a1b2c3d"
std::string model_name(const ComparedRun& side);

/// The sides in a sentence, "the H200", and at the head of a column, "H200". Sides are named by
/// their devices, or on one device by what differs: models, editions or times; else "A" and "B".
struct SideNames {
  std::string a = "A", b = "B";
  std::string head_a = "A", head_b = "B";
};
SideNames side_names(const Comparison& comparison);

/// The name with a capital, for the beginning of a sentence.
std::string capitalized(const std::string& name);

/// One number of one cell on both sides.
struct DiffRow {
  std::size_t number = 0;  ///< The number in links to the row.
  const ComparedRow* row = nullptr;
  std::vector<std::string> flags = {};  ///< Disturbances, doubts and surprises.

  bool in_bytes() const { return unit(row->measure) == "B"; }
};
DiffRow diff_row(std::size_t number, const ComparedRow& row, const SideNames& names);

/// True if the row has a verdict; false if it was not judged or has too few launches.
bool is_judged(const ComparedRow& row);

/// "▼ faster"; missing if the row is not judged.
Value verdict_cell(const ComparedRow& row);

/// Makes three datasets. "ratios": the rows, with B's speedup for times and B ÷ A for bytes.
/// "drawn": the rows with a ratio, if there are several. "evidence": a row for each side of each
/// row, with the value of each launch.
std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows, const Comparison& comparison);

/// "sides": who A and B are.
Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b);
/// "fits": cells that fit one device and not the other.
Dataset one_sided_fit_data(const Comparison& comparison);
/// "lone": cells that only one run has, or that neither could measure.
Dataset not_compared_data(const Comparison& comparison);
/// "speedups": speedups over FP32 in each run; no rows unless one is known on both sides.
Dataset speedup_data(const Comparison& comparison);
/// "places": where the kernels of a step differ, one dataset a precision; no rows if they do not.
std::vector<Dataset> place_data(const Comparison& comparison);
/// "kernels": the longest kernels of a class whose families differ between the runs.
Dataset kernel_data(const Comparison& comparison);

/// The runs of both sides' GPUs: the compared run first, then others, newest first. Empty if a
/// side's summary is unknown.
struct SideRuns {
  GpuRuns a = {}, b = {};
  std::string root = {};  ///< From the document's page to the site's root.

  bool has_both() const { return !a.runs.empty() && !b.runs.empty(); }
};

/// True if either run's summary calls the training step of this network in this precision
/// launch-bound.
bool is_launch_bound(const SideRuns& runs, const CellSpec& spec);

/// Precisions in the order in which sentences name them.
inline constexpr Precision kComparedPrecisions[]{Precision::kFp32, Precision::kTf32,
                                                 Precision::kBf16, Precision::kFp16};

/// The noun for a set of rows: "timing".
struct RowNoun {
  const char* one;
  const char* many;
};

/// "the median of 55 timings", "the only timing that both runs have".
std::string rows_words(std::int64_t count, const RowNoun& noun);

/// Says who is ahead in rows of one unit, by the median of those that are not launch-bound. `all`
/// also has rows that no table shows, to count numbers that a side did not record.
Facts section_facts(const std::vector<DiffRow>& rows, const std::vector<const ComparedRow*>& all,
                    const Comparison& comparison, const SideRuns& runs, const RowNoun& noun);

/// The place where the kernel times of the sides differ most, for each precision.
std::vector<Facts> place_facts(const Comparison& comparison);

/// "1 faster, 1 same and 1 unclear"; empty if no row is judged.
std::string verdict_words(const std::vector<DiffRow>& rows);

/// The training steps of the largest network by precision, with the optimizer as the reason if it
/// explains the difference.
Facts summary_facts(const Comparison& comparison);

/// Facts of the card: the tuned step, the step that fits on one side only, the ratio of GPU prices
/// at which a step costs the same on both sides, and the launch-bound steps.
Facts card_facts(const Comparison& comparison, const SideRuns& runs);

/// Steps whose cost can be compared: the largest network's in reduced precision, and the tuned one.
/// Empty unless the hardware differs.
std::vector<PricedStep> priced_steps(const Comparison& comparison, const SideRuns& runs);

/// "dots": training steps of both sides, without launch-bound ones.
Dataset step_data(const Comparison& comparison, const SideRuns& runs);
/// "launch-bound": training steps that are launch-bound on either side.
Dataset launch_bound_data(const Comparison& comparison, const SideRuns& runs);
/// "waterfall": one dataset for each precision, from A's step of the largest network to B's, by the
/// time that each phase and kind of kernel adds or saves.
std::vector<Dataset> step_waterfall_data(const Comparison& comparison, const SideRuns& runs);
/// "others": what the GPUs measured beyond the compared cells, a row for each quantity.
Dataset other_data(const Comparison& comparison, const SideRuns& runs);

/// Says in plain text how the runs are related and what to know before any number.
std::string relation_words(const Comparison& comparison);

/// Explains in Markdown how the ratios, intervals, predictions and verdicts that are shown come
/// about.
std::string method_of(const Comparison& comparison);

}  // namespace labreport
