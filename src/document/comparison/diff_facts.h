// What tables and sentences of a comparison are made of: datasets, facts, names of cells and sides.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"
#include "document/dataset.h"
#include "document/facts.h"

namespace labreport {

/// "small, context 512, BF16, training step": FP32 goes without saying.
std::string cell_label(const CellSpec& spec, const std::string& size);

/// Of a time outside what limits predict: "11 % less time".
std::string departure_words(double departure);

/// "labreport’s network", "TransformerLM-0a1b2c3d"
std::string model_name(const ComparedRun& side);

/// In a sentence: "the H200" where the devices' names tell the sides apart, the model's name where
/// whose network it is does, else "A" and "B".
struct SideNames {
  std::string a = "A";
  std::string b = "B";
};
SideNames names_of(const Comparison& comparison);

/// The same at a sentence's beginning.
std::string at_start(const std::string& name);

/// One number of one cell on both sides.
struct DiffRow {
  std::size_t number = 0;  ///< By which links name it.
  const ComparedRow* row = nullptr;
  std::vector<std::string> flags = {};  ///< What disturbed it, what is unclear or unexpected.

  bool in_bytes() const { return unit(row->measure) == "B"; }
};
DiffRow diff_row(std::size_t number, const ComparedRow& row);

/// Whether more can be said of the row than that it has too few launches.
bool is_judged(const ComparedRow& row);

/// "▼ faster"; missing where the row is not judged.
Value verdict_of(const ComparedRow& row);

/// "ratios": what both sides have, or one side failed at. "drawn": the same, where there is a
/// ratio. "evidence": two rows a ratio, with each launch.
std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows, bool imported);

/// "sides": who A and B are.
Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b);
/// "fits": cells that fit one device and not the other.
Dataset fits_data(const std::vector<ComparedRow>& rows);
/// "lone": cells that one run alone has, or that neither could measure.
Dataset lone_data(const std::vector<ComparedRow>& rows);
/// "speedups" over FP32 in each run; without rows where no row has both.
Dataset speedup_data(const std::vector<SpeedupRow>& speedups);
/// "places": one a precision, where the kernels of a step differ; without rows where they do not.
std::vector<Dataset> place_data(const Comparison& comparison);
/// "kernels": the longest of a class, where the runs use other families.
Dataset kernel_data(const std::vector<KernelChange>& changes);

/// What a set of rows is called: "timing".
struct RowNoun {
  const char* one;
  const char* many;
};

/// "the median of 55 timings", "the only timing that both runs have".
std::string rows_words(std::int64_t count, const RowNoun& noun);

/// Of rows in one unit, among them such as have no ratio. `all` holds also what stands in no table.
Facts facts_of(const std::vector<DiffRow>& rows, const std::vector<const ComparedRow*>& all,
               const Comparison& comparison, const RowNoun& noun);

/// Where kernels differ most, one a precision.
std::vector<Facts> place_facts(const Comparison& comparison);

/// "1 faster, 1 same and 1 unclear"; empty where no row is judged.
std::string verdict_words(const std::vector<DiffRow>& rows);

/// Of the whole: training steps by precision and the optimizer, with what the limits predict.
Facts summary_facts(const Comparison& comparison);

/// Plain text: how the runs are related and what must be known before any number.
std::string relation_words(const Comparison& comparison);

/// Markdown: how ratios, intervals, predictions and verdicts come about, as far as they are here.
std::string method_of(const Comparison& comparison);

}  // namespace labreport
