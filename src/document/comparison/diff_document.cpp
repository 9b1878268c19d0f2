#include "document/comparison/diff_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "document/section.h"
#include "embedded/document.h"

namespace labreport {
namespace {

/// A problem of the handout and the rows that belong to it.
struct Problem {
  const char* name;
  const char* title;
  const char* part;
  RowNoun noun;
  bool (*holds)(const ComparedRow&);
};

bool in_fp32(const ComparedRow& row) {
  return row.spec.precision.value_or(Precision::kFp32) == Precision::kFp32;
}
bool is_timed(const ComparedRow& row) { return row.spec.kind == CellKind::kTiming; }

constexpr RowNoun kTimings{"timing", "timings"};
constexpr std::array kProblems{
    Problem{"benchmarking_script", "Timing the training step", "Steps and phases in FP32", kTimings,
            [](const ComparedRow& row) { return is_timed(row) && in_fp32(row); }},
    Problem{"nsys_profile",
            "Kernels",
            "Kernel time of a profiled step",
            {"profile", "profiles"},
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kKernels; }},
    Problem{"benchmarking_mixed_precision", "Mixed precision",
            "Steps and phases under mixed precision", kTimings,
            [](const ComparedRow& row) { return is_timed(row) && !in_fp32(row); }},
    Problem{"memory_profiling",
            "Memory",
            "Peak memory",
            {"peak", "peaks"},
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kMemory; }},
    Problem{"distributed_communication_single_node", "All-reduce", "All-reduces by message size",
            kTimings, [](const ComparedRow& row) { return row.spec.kind == CellKind::kAllReduce; }},
    Problem{"data_parallel", "Data-parallel training", "Steps on several ranks", kTimings,
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kDataParallel; }},
    Problem{"optimizer_state_sharding_accounting", "Sharded training",
            "Steps of ranks that shard what they hold", kTimings,
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kSharding; }}};

/// Rows that belong beside each other; what one run alone has is listed apart, and numbers that one
/// side never wrote down (published tables have few) are counted.
bool is_shown(const ComparedRow& row) {
  return row.standing == RowStanding::kMatched || row.standing == RowStanding::kFailedA ||
         row.standing == RowStanding::kFailedB;
}

std::vector<DiffRow> rows_of(const Comparison& comparison, const Problem& problem) {
  std::vector<DiffRow> rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (is_shown(row) && problem.holds(row)) rows.push_back(diff_row(i + 1, row));
  }
  return rows;
}

Facts facts_of(const Comparison& comparison, const Problem& problem) {
  std::vector<const ComparedRow*> all;
  for (const ComparedRow& row : comparison.rows) {
    if (problem.holds(row)) all.push_back(&row);
  }
  Facts facts = facts_of(rows_of(comparison, problem), all, comparison, problem.noun);
  facts.set("subject", problem.part);
  const bool of_kernels = std::string_view(problem.name) == "nsys_profile";
  facts.list("differences", of_kernels ? place_facts(comparison) : std::vector<Facts>());
  return facts;
}

std::string_view file(const std::string& name) {
  return embedded::document().at("src/document/comparison/" + name);
}

/// All sections have the same words; what has no data is left out of them.
Section composed(const Problem& problem, const Facts& facts, std::vector<Dataset> datasets) {
  PartContent content;
  content.facts = facts;
  content.datasets = std::move(datasets);
  Section section = compose_section(file("section.md"), {{"", content}}, [](const auto& name) {
    return file("figures/" + name + ".vl.json");
  });
  section.problem = section.parts.front().problem = problem.name;
  section.title = problem.title;
  section.parts.front().title = problem.part;
  for (Figure& figure : section.parts.front().figures) {
    figure.slug += std::string("-") + problem.name;
    figure.data = {};  // the same as the table below it
  }
  return section;
}

Section summary_of(const Comparison& comparison, const DiffSource& a, const DiffSource& b) {
  PartContent content;
  content.facts = summary_facts(comparison);
  content.datasets = {sides_data(comparison, a, b)};
  Section section = compose_section(file("summary.md"), {{"", content}});
  section.parts.front().title = "";
  return section;
}

Section section_of(const Comparison& comparison, const Problem& problem) {
  std::vector<Dataset> data =
      ratio_data(rows_of(comparison, problem), comparison.related.relation == Relation::kImported);
  const std::string_view name = problem.name;
  if (name == "nsys_profile") {
    std::ranges::move(place_data(comparison), std::back_inserter(data));
    data.push_back(kernel_data(comparison.kernels));
  }
  if (name == "benchmarking_mixed_precision") data.push_back(speedup_data(comparison.speedups));
  if (name == "memory_profiling") data.push_back(fits_data(comparison.rows));
  return composed(problem, facts_of(comparison, problem), std::move(data));
}

Section not_compared(const Dataset& lone) {
  Part part;
  part.problem = "not_compared";
  part.title = "Measurements missing from one or both runs";
  part.tables = {table_of(lone)};
  part.tables.front().title = "Not compared";
  return {.problem = part.problem, .title = "Not compared", .parts = {part}};
}

std::string title_of(const Comparison& comparison) {
  const auto name = [&](const ComparedRun& side) {
    if (comparison.of_two_models() && comparison.a.device == comparison.b.device) {
      return model_name(side);
    }
    return side.device.empty() ? "an unknown device" : side.device;
  };
  return name(comparison.b) + " vs. " + name(comparison.a);
}

std::string in_quotes(const std::string& word) { return "'" + replaced(word, "'", "'\\''") + "'"; }

std::string counts_of(const Comparison& comparison) {
  return fmt::format("{} {}, {} only in A, {} only in B", comparison.matched,
                     comparison.matched == 1 ? "cell matches" : "cells match", comparison.only_a,
                     comparison.only_b);
}

}  // namespace

Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b) {
  Document document;
  document.title = title_of(comparison);
  document.relation = describe(comparison.related.relation);
  document.provenance = counts_of(comparison) + ". " + relation_words(comparison);
  document.sections = {summary_of(comparison, a, b)};
  for (const Problem& problem : kProblems) {
    Section section = section_of(comparison, problem);
    if (!section.parts.front().tables.empty()) document.sections.push_back(std::move(section));
  }
  const Dataset lone = lone_data(comparison.rows);
  if (!lone.rows.empty()) document.sections.push_back(not_compared(lone));
  document.method = method_of(comparison);
  document.reproduce = fmt::format("build/bin/labreport diff {} {} --format html --out diff.html",
                                   in_quotes(a.name), in_quotes(b.name));
  return document;
}

}  // namespace labreport
