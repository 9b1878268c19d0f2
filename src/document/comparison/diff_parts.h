// The pieces of a diff's document: rows sorted into problems, their tables and figures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"

namespace labreport {

/// One row with its number in the comparison, by which links name it.
struct NumberedRow {
  std::size_t number = 0;
  const ComparedRow* row = nullptr;
};
using DiffRows = std::vector<NumberedRow>;

/// "small, context 512, BF16, train step": FP32 goes without saying.
std::string cell_label(const CellSpec& spec, const std::string& size);

/// Cells and columns of these tables: text to the left, numbers with their value for sorting.
inline CellView diff_words(std::string text) { return {.text = std::move(text), .sort = {}}; }
inline CellView diff_number(std::string text, double value) {
  return {.text = std::move(text), .sort = value};
}
inline ColumnView diff_left(std::string title) {
  return {.title = std::move(title), .unit = {}, .align = Align::kLeft};
}
inline ColumnView diff_right(std::string title, std::string unit = "") {
  return {.title = std::move(title), .unit = std::move(unit)};
}

/// "faster", "slower" with a sign that says it too, or "–" where nothing is said.
CellView verdict_cell(const ComparedRow& row);

/// Ratios of rows that both sides have, and of those one side of which failed.
TableView ratio_table(const DiffRows& rows, Relation relation);
/// Two rows a ratio, in the order of `ratio_table`.
TableView evidence_table(const DiffRows& rows, const Comparison& comparison);
TableView speedup_table(const std::vector<SpeedupRow>& speedups);
TableView kernel_table(const std::vector<KernelChange>& changes);
/// Cells that fit one device and not the other; empty where there is none.
TableView fits_table(const std::vector<ComparedRow>& rows);
TableView lone_table(const std::vector<ComparedRow>& rows);
TableView sides_table(const Comparison& comparison, const DiffSource& a, const DiffSource& b);

/// Each ratio on a log axis around 1; a second variant with those that differ by a tenth or more,
/// where these are some and not all.
std::vector<Figure> ratio_figures(const std::string& problem, const std::string& title,
                                  const DiffRows& rows);

}  // namespace labreport
