#include "document/comparison/diff_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/comparison/diff_parts.h"
#include "document/comparison/diff_words.h"

namespace labreport {
namespace {

/// A problem of the handout and the rows that belong to it.
struct Problem {
  const char* name;
  const char* title;
  bool (*holds)(const ComparedRow&);
};

bool in_fp32(const ComparedRow& row) {
  return row.spec.precision.value_or(Precision::kFp32) == Precision::kFp32;
}
bool timed_in_fp32(const ComparedRow& row) {
  return row.spec.kind == CellKind::kTiming && in_fp32(row);
}
bool timed_otherwise(const ComparedRow& row) {
  return row.spec.kind == CellKind::kTiming && !in_fp32(row);
}
bool profiled(const ComparedRow& row) { return row.spec.kind == CellKind::kKernels; }
bool of_memory(const ComparedRow& row) { return row.spec.kind == CellKind::kMemory; }

constexpr std::array kProblems{
    Problem{"benchmarking_script", "Timing the training step", timed_in_fp32},
    Problem{"nsys_profile", "Kernels", profiled},
    Problem{"benchmarking_mixed_precision", "Mixed precision", timed_otherwise},
    Problem{"memory_profiling", "Memory", of_memory}};

/// Rows that belong beside each other; what one run alone has is listed apart, and numbers that one
/// side never wrote down (published tables have few) are counted.
bool shown(const ComparedRow& row) {
  return row.standing == RowStanding::kMatched || row.standing == RowStanding::kFailedA ||
         row.standing == RowStanding::kFailedB;
}

DiffRows rows_of(const Comparison& comparison, const Problem& problem) {
  DiffRows rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (shown(row) && problem.holds(row)) rows.push_back({i + 1, &row});
  }
  return rows;
}

void add_table(std::vector<TableView>& tables, TableView table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

/// A table of the right-hand side alone has nothing to stand beside.
bool any_on_both_sides(const std::vector<SpeedupRow>& speedups) {
  return std::ranges::any_of(speedups, [](const SpeedupRow& row) { return row.a && row.b; });
}

std::vector<const ComparedRow*> all_rows_of(const Comparison& comparison, const Problem& problem) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (problem.holds(row)) rows.push_back(&row);
  }
  return rows;
}

DiffPart part_of(const Comparison& comparison, const Problem& problem) {
  const DiffRows rows = rows_of(comparison, problem);
  DiffPart part{
      .problem = problem.name,
      .title = problem.title,
      .words = part_words(rows, comparison.related.relation) +
               unrecorded_words(all_rows_of(comparison, problem)),
      .figures = ratio_figures(problem.name, fmt::format("{}: B ÷ A", problem.title), rows),
      .tables = {},
      .evidence = {}};
  add_table(part.tables, ratio_table(rows, comparison.related.relation));
  const std::string name = problem.name;
  if (name == "nsys_profile") add_table(part.tables, kernel_table(comparison.kernels));
  if (name == "benchmarking_mixed_precision" && any_on_both_sides(comparison.speedups)) {
    add_table(part.tables, speedup_table(comparison.speedups));
  }
  if (name == "memory_profiling") add_table(part.tables, fits_table(comparison.rows));
  add_table(part.evidence, evidence_table(rows, comparison));
  return part;
}

std::string side_name(const ComparedRun& side) {
  return side.device.empty() ? "an unknown device" : side.device;
}

std::string in_code(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string{letter};
  return text + "'";
}

}  // namespace

DiffDocument diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b) {
  DiffDocument document{
      .title = side_name(comparison.b) + " against " + side_name(comparison.a),
      .relation = std::string(describe(comparison.related.relation)),
      .notices = notices_of(comparison),
      .counts = fmt::format("{} cells match, {} only in A, {} only in B", comparison.matched,
                            comparison.only_a, comparison.only_b),
      .key_numbers = key_numbers_of(comparison),
      .sides = sides_table(comparison, a, b),
      .parts = {},
      .rest = {},
      .method = method_of(comparison),
      .command = fmt::format("build/bin/labreport diff {} {} --format html --out diff.html",
                             in_code(a.name), in_code(b.name))};
  for (const Problem& problem : kProblems) {
    DiffPart part = part_of(comparison, problem);
    if (!part.tables.empty()) document.parts.push_back(std::move(part));
  }
  add_table(document.rest, lone_table(comparison.rows));
  return document;
}

}  // namespace labreport
