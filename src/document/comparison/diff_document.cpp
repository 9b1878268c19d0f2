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
  RowNoun noun;
  bool (*holds)(const ComparedRow&);
};

bool in_fp32(const ComparedRow& row) {
  return row.spec.precision.value_or(Precision::kFp32) == Precision::kFp32;
}
bool is_timed(const ComparedRow& row) { return row.spec.kind == CellKind::kTiming; }

constexpr RowNoun kTimings{"timing", "timings"};
constexpr std::array kProblems{
    Problem{"benchmarking_script", "Steps and phases in FP32", kTimings,
            [](const ComparedRow& row) { return is_timed(row) && in_fp32(row); }},
    Problem{"nsys_profile",
            "Kernel time of a profiled step",
            {"profile", "profiles"},
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kKernels; }},
    Problem{"benchmarking_mixed_precision", "Steps and phases under mixed precision", kTimings,
            [](const ComparedRow& row) { return is_timed(row) && !in_fp32(row); }},
    Problem{"memory_profiling",
            "Peak memory",
            {"peak", "peaks"},
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kMemory; }},
    Problem{"distributed_communication_single_node", "All-reduces by message size", kTimings,
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kAllReduce; }},
    Problem{"data_parallel", "Data-parallel steps", kTimings,
            [](const ComparedRow& row) { return row.spec.kind == CellKind::kDataParallel; }},
    Problem{"optimizer_state_sharding_accounting", "Steps of ranks that shard what they hold",
            kTimings, [](const ComparedRow& row) { return row.spec.kind == CellKind::kSharding; }}};

std::string_view file(const std::string& name) {
  return embedded::document().at("src/document/comparison/" + name);
}

std::string_view figure_file(const std::string& name) {
  return file("figures/" + name + ".vl.json");
}

Section summary_of(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                   const SideRuns& runs) {
  PartContent content;
  content.facts = summary_facts(comparison);
  content.facts.add(card_facts(comparison, runs));
  content.datasets = step_waterfall_data(comparison, runs);
  content.datasets.insert(content.datasets.end(),
                          {step_data(comparison, runs), launch_bound_data(comparison, runs),
                           sides_data(comparison, a, b)});
  Section section = compose_section(file("summary.md"), {{"", content}}, figure_file);
  Part& part = section.parts.front();
  part.title = "";
  part.details.title = "The two runs";
  return section;
}

/// The section of numbers beyond the compared cells; nothing if the GPUs have none in common.
std::optional<Section> others_of(const Comparison& comparison, const SideRuns& runs) {
  PartContent content;
  content.datasets = {other_data(comparison, runs)};
  if (content.datasets.front().rows.empty()) return std::nullopt;
  std::vector<Facts> list;
  for (const GpuRuns* side : {&runs.a, &runs.b}) {
    for (std::size_t i = 1; i < side->runs.size(); ++i) {
      const RunSummary& run = *side->runs[i];
      list.push_back(Facts()
                         .set("title", run.title)
                         .set("device", run.device)
                         .set("time", readable_time(run.started_at)));
    }
  }
  content.facts.list("runs", std::move(list));
  Section section = compose_section(file("others.md"), {{"", content}});
  Part& part = section.parts.front();
  part.title = "";
  part.details.title = "The other runs";
  return section;
}

/// Puts compared rows into tables. Cells of one run only are listed in a section of their own, and
/// numbers that one side did not record (published tables have few) are only counted.
PartContent content_of(const Comparison& comparison, const SideRuns& runs, const Problem& problem) {
  std::vector<const ComparedRow*> all;
  std::vector<DiffRow> compared;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (!problem.holds(row)) continue;
    all.push_back(&row);
    const bool is_compared = row.status == RowStatus::kMatched ||
                             row.status == RowStatus::kFailedA || row.status == RowStatus::kFailedB;
    if (is_compared) compared.push_back(diff_row(i + 1, row, side_names(comparison)));
  }
  const std::string_view name = problem.name;
  const bool of_kernels = name == "nsys_profile";
  PartContent content;
  content.facts = section_facts(compared, all, comparison, runs, problem.noun);
  content.facts.set("subject", problem.title);
  content.facts.list("differences", of_kernels ? place_facts(comparison) : std::vector<Facts>());
  content.datasets = ratio_data(compared, comparison);
  if (of_kernels) {
    std::ranges::move(place_data(comparison), std::back_inserter(content.datasets));
    content.datasets.push_back(kernel_data(comparison));
  }
  if (name == "benchmarking_mixed_precision") content.datasets.push_back(speedup_data(comparison));
  if (name == "memory_profiling") content.datasets.push_back(one_sided_fit_data(comparison));
  return content;
}

/// All sections share section.md, whose exhibits without data are left out.
Section section_of(const Comparison& comparison, const SideRuns& runs, const Problem& problem) {
  Section section = compose_section(file("section.md"),
                                    {{"", content_of(comparison, runs, problem)}}, figure_file);
  Part& part = section.parts.front();
  section.problem = part.problem = problem.name;
  section.title = problem.title;
  part.title = "";
  part.details.title = "Every row";
  for (Figure& figure : part.details.figures) {
    figure.slug += std::string("-") + problem.name;
    figure.table = {};  // the table below the figure shows the same numbers
  }
  return section;
}

std::string title_of(const Comparison& comparison) {
  const auto name = [&](const ComparedRun& side) {
    if (comparison.compares_two_models() && comparison.a.device == comparison.b.device) {
      return model_name(side);
    }
    return side.device.empty() ? "an unknown device" : side.device;
  };
  return name(comparison.b) + " vs. " + name(comparison.a);
}

std::string in_quotes(const std::string& word) { return "'" + replaced(word, "'", "'\\''") + "'"; }

GpuRuns side_runs(const DiffSource& source) {
  GpuRuns side;
  for (const RunSummary& summary : source.summaries) side.runs.push_back(&summary);
  if (!side.runs.empty()) side.gpu = side.short_name = side.runs.front()->gpu();
  return side;
}

}  // namespace

Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                       const std::string& root) {
  const SideRuns runs{side_runs(a), side_runs(b), root};
  const SideNames names = side_names(comparison);
  Document document;
  document.title = title_of(comparison);
  document.relation = describe(comparison.machines.relation);
  document.side_a = names.head_a;
  document.side_b = names.head_b;
  document.priced_steps = priced_steps(comparison, runs);
  document.provenance = fmt::format(
      "{} {}, {} only in {}, {} only in {}. {}", comparison.matched_cells,
      comparison.matched_cells == 1 ? "cell matches" : "cells match", comparison.cells_only_in_a,
      names.a, comparison.cells_only_in_b, names.b, relation_words(comparison));
  document.sections = {summary_of(comparison, a, b, runs)};
  if (auto others = others_of(comparison, runs)) document.sections.push_back(std::move(*others));
  for (const Problem& problem : kProblems) {
    Section section = section_of(comparison, runs, problem);
    if (!section.parts.front().details.tables.empty())
      document.sections.push_back(std::move(section));
  }
  const Dataset lone = not_compared_data(comparison);
  if (!lone.rows.empty()) {
    Part part;
    part.problem = "not_compared";
    part.details.tables = {table_of(lone)};
    part.details.tables.front().title = part.details.title = "Not compared";
    document.sections.push_back(
        {.problem = part.problem, .title = "Not compared", .parts = {part}});
  }
  document.method = method_of(comparison);
  document.reproduce = fmt::format("build/bin/labreport diff {} {} --format html --out diff.html",
                                   in_quotes(a.name), in_quotes(b.name));
  return document;
}

}  // namespace labreport
