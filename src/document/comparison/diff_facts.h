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

/// Returns the first word of a device's name, without "NVIDIA": "H200".
std::string short_device(const std::string& device);

/// Begins a sentence with a side's name: "The H200" for "the H200". Models' names stay.
std::string with_capital_the(const std::string& name);

/// One number of one cell on both sides.
struct DiffRow {
  const ComparedRow* compared = nullptr;
  std::vector<std::string> flags = {};  ///< "H200: thermal slowdown", "counted steps: 3 against 5"

  bool is_in_bytes() const { return unit(compared->measure) == "B"; }
};
DiffRow diff_row(const ComparedRow& row, const SideNames& names);

/// Makes a dataset of these rows: the values of both sides, B's speedup for times and B ÷ A for
/// bytes, and the handout's problem that asks for the number. If there are times and bytes, the
/// column "What" has the units.
Dataset row_data(const std::string& name, const std::vector<DiffRow>& rows,
                 const Comparison& comparison);

/// True if the row has a verdict. A row that is unclear for want of launches has none.
bool is_judged(const ComparedRow& row);

/// Returns a row's cell in the column of verdicts: "▼ faster"; missing if the row has no verdict.
Value verdict_cell(const ComparedRow& row);

/// Makes the dataset "sides": device, model, edition and other facts of both runs.
Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b);

/// Makes the dataset "not-compared": cells that only one run has, or that failed in both.
Dataset not_compared_data(const Comparison& comparison);

/// Makes the datasets "places", one for each precision: the places of the network where the kernel
/// times of a step differ. There are none unless the sides ran two implementations: the waterfall
/// explains all other differences.
std::vector<Dataset> place_data(const Comparison& comparison);

/// The summaries of both sides' GPUs. A side without summaries has no runs.
struct SideRuns {
  GpuRuns a = {}, b = {};                    ///< All known runs of the GPUs, newest first.
  GpuRuns compared_a = {}, compared_b = {};  ///< The compared runs alone.
  std::string root = {};  ///< The path from the document's page to the site's root.

  bool has_both() const { return !a.runs.empty() && !b.runs.empty(); }
};

/// Names a network, with its number of parameters if runs of two editions meet in the comparison.
std::string network_words(const Comparison& comparison, const SideRuns& runs,
                          const std::string& word, double parameters);
std::string compared_network(const Comparison& comparison, const SideRuns& runs,
                             const ComparedRow& row);

/// Returns the key of a number of one side's cell, see `Value::key`. It contains the run.
std::string cell_key(const ComparedRow& row, const ComparedRun& side);

/// True if the summary of either compared run lists the step of the row's network and precision in
/// `Quantity::set_by_cpu`; of several GPUs' steps or checkpoints, if it lists any of them. An
/// all-reduce among GPUs is also set by the CPU if a summary lacks its time.
bool is_set_by_cpu(const SideRuns& runs, const ComparedRow& row);

/// Returns a step's ms on A, or on B, with its key.
Value step_ms(const Comparison& comparison, const ComparedRow& row, RowSide ComparedRow::* side);

/// Returns how many times as long the slower of two steps takes.
Value slower_over_faster(const Value& a_ms, const Value& b_ms);

/// Precisions in the order in which sentences name them.
inline constexpr Precision kComparedPrecisions[]{Precision::kFp32, Precision::kTf32,
                                                 Precision::kBf16, Precision::kFp16};

/// Returns, for each precision, the facts of the place where the kernel times of the sides differ
/// most. Empty if `place_data` is.
std::vector<Facts> place_facts(const Comparison& comparison);

/// Returns the facts of the comparison's summary: the training step of the largest network in each
/// precision, and the optimizer's part in the difference if it explains most of it.
Facts summary_facts(const Comparison& comparison, const SideRuns& runs);

/// Returns the facts of the card: the tuned step, the step that fits on one side only, the ratio of
/// GPU prices at which a step costs the same on both sides, and the steps that the CPU sets.
Facts card_facts(const Comparison& comparison, const SideRuns& runs);

/// A step that both sides ran. The page computes its cost from the prices of GPU hours.
struct PricedStep {
  std::string name;  ///< "2.7B in BF16", "2.7B in BF16, tuned"
  Value a_ms, b_ms;
};

/// Returns the steps whose cost the page compares: the largest network's in each precision, and the
/// tuned one. Empty unless the hardware differs.
std::vector<PricedStep> priced_steps(const Comparison& comparison, const SideRuns& runs);

/// Returns, for each priced step, the facts of which side costs less at these prices of an hour.
/// Empty if either price is 0.
std::vector<Facts> rent_facts(const Comparison& comparison, const SideRuns& runs, double price_a,
                              double price_b);

/// Makes the dataset "dots": training steps of both sides whose times the GPUs set.
Dataset step_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the dataset "rungs": the leaderboard's steps, rung by rung, with both sides' peaks.
Dataset rung_data(const Comparison& comparison);

/// Makes the dataset "dots": the leaderboard's steps that both sides ran.
Dataset rung_dot_data(const Comparison& comparison);

/// Returns the facts of the leaderboard's steps: the fastest on each side, and what scaling each
/// part of a step by its own limit predicts for the other side and for two B200.
Facts rung_facts(const Comparison& comparison);

/// Makes the dataset "cpu": training steps that the host's CPU sets at least in part on either
/// side.
Dataset cpu_bound_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the datasets "waterfall", one for each precision: from A's step of the largest network to
/// B's, by the time that each phase and kind of kernel adds or saves. There are none if the sides
/// ran two implementations, whose difference `place_data` explains.
std::vector<Dataset> step_waterfall_data(const Comparison& comparison, const SideRuns& runs);

/// Makes the dataset "others": the finding of each topic in each precision that both compared runs
/// measured, or else both GPUs.
Dataset other_data(const Comparison& comparison, const SideRuns& runs);

/// Says in plain text how the runs' machines are related, and what else a reader of ratios must
/// know.
std::string relation_words(const Comparison& comparison);

/// Explains in Markdown how the shown ratios, intervals and verdicts are computed.
std::string method_words(const Comparison& comparison);

}  // namespace labreport
