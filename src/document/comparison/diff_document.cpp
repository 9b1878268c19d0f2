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

/// A problem of the handout, and a test whether a row belongs to it.
struct DiffProblem {
  const char* name;
  const char* title;
  RowNoun noun;
  bool (*has_row)(const ComparedRow&);
};

bool in_fp32(const ComparedRow& row) {
  return row.spec.precision.value_or(Precision::kFp32) == Precision::kFp32;
}
bool is_timed(const ComparedRow& row) { return row.spec.kind == CellKind::kTiming; }

constexpr RowNoun kTimings{"timing", "timings"};
constexpr std::array kDiffProblems{
    DiffProblem{"benchmarking_script", "Steps and phases in FP32", kTimings,
                [](const ComparedRow& row) { return is_timed(row) && in_fp32(row); }},
    DiffProblem{"nsys_profile",
                "Kernel time of a profiled step",
                {"profile", "profiles"},
                [](const ComparedRow& row) { return row.spec.kind == CellKind::kKernels; }},
    DiffProblem{"benchmarking_mixed_precision", "Steps and phases under mixed precision", kTimings,
                [](const ComparedRow& row) { return is_timed(row) && !in_fp32(row); }},
    DiffProblem{"memory_profiling",
                "Peak memory",
                {"peak", "peaks"},
                [](const ComparedRow& row) { return row.spec.kind == CellKind::kMemory; }},
    DiffProblem{"distributed_communication_single_node", "All-reduces by message size", kTimings,
                [](const ComparedRow& row) { return row.spec.kind == CellKind::kAllReduce; }},
    DiffProblem{"data_parallel", "Data-parallel steps", kTimings,
                [](const ComparedRow& row) { return row.spec.kind == CellKind::kDataParallel; }},
    DiffProblem{"optimizer_state_sharding_accounting", "Steps of ranks that shard what they hold",
                kTimings,
                [](const ComparedRow& row) { return row.spec.kind == CellKind::kSharding; }}};

std::string_view embedded_file(const std::string& name) {
  return embedded::document().at("src/document/comparison/" + name);
}

std::string_view figure_file(const std::string& name) {
  return embedded_file("figures/" + name + ".vl.json");
}

Section summary_section(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                        const SideRuns& runs) {
  PartContent content;
  content.facts = summary_facts(comparison);
  content.facts.add(card_facts(comparison, runs));
  content.datasets = step_waterfall_data(comparison, runs);
  content.datasets.insert(content.datasets.end(),
                          {step_data(comparison, runs), launch_bound_data(comparison, runs),
                           sides_data(comparison, a, b)});
  Section section = compose_section(embedded_file("summary.md"), {{"", content}}, figure_file);
  Part& part = section.parts.front();
  part.title = "";
  part.details.title = "The two runs";
  return section;
}

/// Returns the section of numbers beyond the compared cells; nothing if the GPUs have none in
/// common.
std::optional<Section> other_numbers_section(const Comparison& comparison, const SideRuns& runs) {
  PartContent content;
  content.datasets = {other_data(comparison, runs)};
  if (content.datasets.front().rows.empty()) return std::nullopt;
  std::vector<Facts> run_facts;
  for (const GpuRuns* side : {&runs.a, &runs.b}) {
    for (std::size_t i = 1; i < side->runs.size(); ++i) {  // The first is the compared run.
      const RunSummary& run = *side->runs[i];
      run_facts.push_back(Facts()
                              .set("title", run.title)
                              .set("device", run.device)
                              .set("time", readable_time(run.started_at)));
    }
  }
  content.facts.list("runs", std::move(run_facts));
  Section section = compose_section(embedded_file("others.md"), {{"", content}});
  Part& part = section.parts.front();
  part.title = "";
  part.details.title = "The other runs";
  return section;
}

/// Returns the content of a problem's section. Its tables have the rows whose cell both runs have,
/// even if it failed in one. Numbers that one side did not record are only counted, because
/// published tables have few. Cells that only one run has are in a section of their own.
PartContent problem_content(const Comparison& comparison, const SideRuns& runs,
                            const DiffProblem& problem) {
  std::vector<const ComparedRow*> problem_rows;
  std::vector<DiffRow> compared;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (!problem.has_row(row)) continue;
    problem_rows.push_back(&row);
    const bool is_compared = row.status == RowStatus::kMatched ||
                             row.status == RowStatus::kFailedA || row.status == RowStatus::kFailedB;
    if (is_compared) compared.push_back(diff_row(i + 1, row, side_names(comparison)));
  }
  const std::string_view name = problem.name;
  const bool is_kernel_section = name == "nsys_profile";
  PartContent content;
  content.facts = section_facts(compared, problem_rows, comparison, runs, problem.noun);
  content.facts.set("subject", problem.title);
  content.facts.list("differences",
                     is_kernel_section ? place_facts(comparison) : std::vector<Facts>());
  content.datasets = ratio_data(compared, comparison);
  if (is_kernel_section) {
    std::ranges::move(place_data(comparison), std::back_inserter(content.datasets));
    content.datasets.push_back(kernel_data(comparison));
  }
  if (name == "benchmarking_mixed_precision") content.datasets.push_back(speedup_data(comparison));
  if (name == "memory_profiling") content.datasets.push_back(one_sided_fit_data(comparison));
  return content;
}

/// Returns a problem's section. All problems share section.md. Exhibits without data are left out.
Section problem_section(const Comparison& comparison, const SideRuns& runs,
                        const DiffProblem& problem) {
  Section section = compose_section(
      embedded_file("section.md"), {{"", problem_content(comparison, runs, problem)}}, figure_file);
  Part& part = section.parts.front();
  section.problem = part.problem = problem.name;
  section.title = problem.title;
  part.title = "";
  part.details.title = "Every row";
  for (Figure& figure : part.details.figures) {
    figure.slug += std::string("-") + problem.name;
    figure.table = {};  // The table "Every row" shows the same numbers.
  }
  return section;
}

std::string title_of(const Comparison& comparison) {
  const auto name = [&](const ComparedRun& side) {
    if (comparison.has_two_implementations() && comparison.a.device == comparison.b.device) {
      return model_name(side);
    }
    return side.device.empty() ? "an unknown device" : side.device;
  };
  return name(comparison.b) + " vs. " + name(comparison.a);
}

std::string for_shell(const std::string& word) { return "'" + replaced(word, "'", "'\\''") + "'"; }

GpuRuns runs_of_side(const DiffSource& source) {
  GpuRuns side;
  for (const RunSummary& summary : source.summaries) side.runs.push_back(&summary);
  if (!side.runs.empty()) side.name = side.short_name = side.runs.front()->gpu();
  return side;
}

}  // namespace

Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                       const std::string& root) {
  const SideRuns runs{runs_of_side(a), runs_of_side(b), root};
  const SideNames names = side_names(comparison);
  Document document;
  document.title = title_of(comparison);
  document.relation = describe(comparison.machines.relation);
  document.side_a = names.title_a;
  document.side_b = names.title_b;
  document.priced_steps = priced_steps(comparison, runs);
  document.provenance = fmt::format(
      "{} {}, {} only in {}, {} only in {}. {}", comparison.matched_cells,
      comparison.matched_cells == 1 ? "cell matches" : "cells match", comparison.cells_only_in_a,
      names.a, comparison.cells_only_in_b, names.b, relation_words(comparison));
  document.sections = {summary_section(comparison, a, b, runs)};
  if (auto others = other_numbers_section(comparison, runs))
    document.sections.push_back(std::move(*others));
  for (const DiffProblem& problem : kDiffProblems) {
    Section section = problem_section(comparison, runs, problem);
    if (!section.parts.front().details.tables.empty())
      document.sections.push_back(std::move(section));
  }
  const Dataset not_compared = not_compared_data(comparison);
  if (!not_compared.rows.empty()) {
    Part part;
    part.problem = "not_compared";
    part.details.tables = {table_of(not_compared)};
    part.details.tables.front().title = part.details.title = "Not compared";
    document.sections.push_back(
        {.problem = part.problem, .title = "Not compared", .parts = {part}});
  }
  document.method = method_words(comparison);
  document.reproduce = fmt::format("build/bin/labreport diff {} {} --format html --out diff.html",
                                   for_shell(a.name), for_shell(b.name));
  return document;
}

}  // namespace labreport
