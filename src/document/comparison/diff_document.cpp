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

std::string_view embedded_file(const std::string& name) {
  return embedded::document().at("src/document/comparison/" + name);
}

/// Composes a section of one part without a title. `drawer` is the title of its details.
Section comparison_section(const std::string& file, const PartContent& content,
                           const char* drawer) {
  Section section = compose_section(embedded_file(file), {{"", content}});
  Part& part = section.parts.front();
  part.title = "";
  part.details.title = drawer;
  return section;
}

Section summary_section(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                        const SideRuns& runs) {
  PartContent content;
  content.facts = summary_facts(comparison, runs);
  content.facts.add(card_facts(comparison, runs));
  content.facts.add(rung_facts(comparison));
  content.facts.list("rent", rent_facts(comparison, runs, a.price, b.price));
  content.facts.list("differences", place_facts(comparison));
  content.datasets = step_waterfall_data(comparison, runs);
  std::ranges::move(place_data(comparison), std::back_inserter(content.datasets));
  content.datasets.insert(content.datasets.end(),
                          {step_data(comparison, runs), cpu_bound_data(comparison, runs),
                           sides_data(comparison, a, b)});
  return comparison_section("summary.md", content, "The two runs");
}

/// Returns the section of the leaderboard's steps, which has no table if neither run has any.
Section leaderboard_section(const Comparison& comparison) {
  PartContent content;
  content.facts = rung_facts(comparison);
  content.datasets = {rung_data(comparison), rung_dot_data(comparison)};
  return comparison_section("leaderboard.md", content, "Data");
}

/// Returns the section of numbers beyond the compared cells, which has no table if the GPUs have
/// none in common.
Section other_numbers_section(const Comparison& comparison, const SideRuns& runs) {
  PartContent content;
  content.datasets = {other_data(comparison, runs)};
  std::vector<Facts> run_facts;
  for (const auto& [side, compared] :
       {std::pair(&runs.a, &runs.compared_a), std::pair(&runs.b, &runs.compared_b)}) {
    for (const RunSummary* run : side->runs) {
      if (run == compared->runs.front()) continue;
      run_facts.push_back(Facts()
                              .set("title", run->title)
                              .set("device", run->device)
                              .set("time", readable_time(run->started_at)));
    }
  }
  content.facts.list("runs", std::move(run_facts));
  return comparison_section("others.md", content, "The other runs");
}

/// Returns the section of all rows, those of one problem after another, and of the cells that only
/// one run has or that failed in both. It has no tables if no cell has a number.
Section rows_section(const Comparison& comparison) {
  std::vector<DiffRow> rows;
  for (const ComparedRow& row : comparison.rows) {
    const bool has_a_side = row.a.value || row.b.value;
    const bool is_paired = row.status != RowStatus::kOnlyA && row.status != RowStatus::kOnlyB;
    if (has_a_side && is_paired) rows.push_back(diff_row(row, side_names(comparison)));
  }
  std::ranges::stable_sort(rows, {}, [](const DiffRow& row) {
    return std::pair(row.compared->spec.kind, row.compared->spec.precision);
  });
  PartContent content;
  content.datasets = {row_data("rows", rows, comparison), not_compared_data(comparison)};
  return comparison_section("rows.md", content, "Every row");
}

/// Names the sides by what tells them apart, with the device if that is their common one: "H200 vs.
/// H100", "H200: 2026 vs. 2025".
std::string title_of(const Comparison& comparison) {
  const ComparedRun &a = comparison.a, &b = comparison.b;
  const SideNames names = side_names(comparison);
  const bool one_device = a.device == b.device;
  if (one_device && comparison.has_two_implementations())
    return model_name(b) + " vs. " + model_name(a);
  const auto device = [](const ComparedRun& side) {
    return side.device.empty() ? "an unknown device" : side.device;
  };
  if (names.title_a == SideNames().title_a) return device(b) + " vs. " + device(a);
  return (one_device ? short_device(a.device) + ": " : "") + names.title_b + " vs. " +
         names.title_a;
}

std::string for_shell(const std::string& word) { return "'" + replaced(word, "'", "'\\''") + "'"; }

/// Returns the compared run of a side and all runs of its GPU, newest first.
std::pair<GpuRuns, GpuRuns> runs_of_side(const DiffSource& source) {
  GpuRuns compared, all;
  if (source.summaries.empty()) return {};
  compared.name = compared.short_name = all.name = all.short_name = source.summaries.front().gpu();
  compared.runs = {&source.summaries.front()};
  for (const RunSummary& summary : source.summaries) all.runs.push_back(&summary);
  std::ranges::sort(all.runs,
                    [](const auto* run, const auto* other) { return run->is_newer_than(*other); });
  return {compared, all};
}

}  // namespace

Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                       const std::string& root) {
  const auto [compared_a, all_a] = runs_of_side(a);
  const auto [compared_b, all_b] = runs_of_side(b);
  const SideRuns runs{all_a, all_b, compared_a, compared_b, root};
  const SideNames names = side_names(comparison);
  Document document;
  document.title = title_of(comparison);
  document.relation = describe(comparison.machines.relation);
  document.side_a = names.title_a;
  document.side_b = names.title_b;
  for (const auto& [name, a_ms, b_ms] : priced_steps(comparison, runs))
    document.script_data.push_back({{"name", name}, {"a", *a_ms.number()}, {"b", *b_ms.number()}});
  document.provenance = fmt::format(
      "{} {} in both runs, {} more of {}, {} more of {}. {}", comparison.matched_cells,
      comparison.matched_cells == 1 ? "measurement" : "measurements", comparison.cells_only_in_a,
      names.a, comparison.cells_only_in_b, names.b, relation_words(comparison));
  const std::string words = words_of_editions({compared_a, compared_b});
  if (!words.empty()) document.provenance += " " + words;
  document.sections = {summary_section(comparison, a, b, runs)};
  for (Section& section :
       std::array{leaderboard_section(comparison), other_numbers_section(comparison, runs),
                  rows_section(comparison)}) {
    const Part& part = section.parts.front();
    if (!part.tables.empty() || !part.details.tables.empty())
      document.sections.push_back(std::move(section));
  }
  document.method = method_words(comparison);
  document.reproduce = fmt::format("build/bin/labreport diff {} {} --format html --out diff.html",
                                   for_shell(a.name), for_shell(b.name));
  return document;
}

}  // namespace labreport
