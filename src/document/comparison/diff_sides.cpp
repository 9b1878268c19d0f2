// Tables of who the sides are and of what only one of them has.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_parts.h"

namespace labreport {
namespace {

CellView side_cell(const std::string& text) {
  return {.text = text.empty() ? "–" : text, .sort = {}, .muted = text.empty()};
}

std::string fit_words(const RowSide& side) {
  return side.value ? "fits" : side.fits ? "–" : "does not fit";
}

std::string limit_words(std::optional<double> limit, double unit, const char* name) {
  return limit ? fmt::format("{} {}", format_significant(*limit / unit), name) : "";
}

std::string rate_words(const ComparedRun& side, Precision precision) {
  constexpr double kTera = 1e12;
  const auto found = side.limits.rates.find(precision);
  return found == side.limits.rates.end() ? "" : limit_words(found->second, kTera, "TFLOP/s");
}

/// Its time and revision are those of the import, and say nothing of the numbers.
bool is_imported(const ComparedRun& side) { return side.source == "imported"; }

std::string floor_words(const ComparedRun& side) {
  if (!side.noise_floor) return "";
  return fmt::format("{} % between launches, {} degrees of freedom",
                     format_percent(side.noise_floor->log_stddev), side.noise_floor->degrees);
}

/// "a, b and 3 more"
std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 2;
  const std::string first = join(std::span(texts).first(std::min(kMost, texts.size())), ", ");
  return texts.size() <= kMost ? first : fmt::format("{} and {} more", first, texts.size() - kMost);
}

struct SideFact {
  const char* label;
  std::function<std::string(const ComparedRun&)> words;
};

std::vector<SideFact> side_facts() {
  constexpr double kGiga = 1e9;
  return {
      {"GPU", [](const auto& side) { return side.device; }},
      {"Numbers are", [](const auto& side) { return side.source; }},
      {"Published by", [](const auto& side) { return some_of(side.titles); }},
      {"Published at", [](const auto& side) { return some_of(side.sources); }},
      {"Assumed", [](const auto& side) { return some_of(side.assumed); }},
      {"Edition and preset",
       [](const auto& side) {
         return is_imported(side) ? side.edition : side.edition + ", " + side.preset;
       }},
      {"Started",
       [](const auto& side) { return is_imported(side) ? "imported" : side.started_at; }},
      {"Revision",
       [](const auto& side) {
         return is_imported(side) ? "imported" : side.revision.substr(0, 8);
       }},
      {"Driver", [](const auto& side) { return side.driver; }},
      {"CPU", [](const auto& side) { return side.cpu; }},
      {"Power limit",
       [](const auto& side) {
         const double watts = side.power_limit_watts;
         return watts > 0 ? format_fixed(watts, 0) + " W" : "";
       }},
      {"Memory",
       [](const auto& side) {
         return side.memory_bytes > 0 ? format_bytes(side.memory_bytes) : "";
       }},
      {"Measured peak, FP32", [](const auto& side) { return rate_words(side, Precision::kFp32); }},
      {"Measured peak, BF16", [](const auto& side) { return rate_words(side, Precision::kBf16); }},
      {"Measured bandwidth",
       [](const auto& side) { return limit_words(side.limits.bandwidth, kGiga, "GB/s"); }},
      {"Noise floor", floor_words}};
}

}  // namespace

TableView sides_table(const Comparison& comparison, const DiffSource& a, const DiffSource& b) {
  TableView table{.slug = "sides",
                  .title = "The two runs",
                  .columns = {diff_left("What"), diff_left("A"), diff_left("B")},
                  .rows = {}};
  table.rows.push_back({{side_cell("Run"), side_cell(a.name), side_cell(b.name)}, {}, {}});
  table.rows.front().cells[1].link = a.page;
  table.rows.front().cells[2].link = b.page;
  for (const SideFact& fact : side_facts()) {
    const std::string in_a = fact.words(comparison.a);
    const std::string in_b = fact.words(comparison.b);
    if (in_a.empty() && in_b.empty()) continue;
    table.rows.push_back({{side_cell(fact.label), side_cell(in_a), side_cell(in_b)}, {}, {}});
  }
  return table;
}

TableView fits_table(const std::vector<ComparedRow>& rows) {
  TableView table{.slug = "fits",
                  .title = "Fits against does not fit",
                  .columns = {diff_left("Cell"), diff_left("Kind"), diff_left("A"), diff_left("B")},
                  .rows = {}};
  std::set<std::string> seen;
  for (const ComparedRow& row : rows) {
    if (row.a.fits == row.b.fits || row.standing == RowStanding::kOnlyA ||
        row.standing == RowStanding::kOnlyB || !seen.insert(row.cell).second) {
      continue;
    }
    table.rows.push_back(
        {{side_cell(cell_label(row.spec, row.size)), side_cell(std::string(name(row.spec.kind))),
          side_cell(fit_words(row.a)), side_cell(fit_words(row.b))},
         {},
         {}});
    const std::string& reason = row.a.fits ? row.b.reason : row.a.reason;
    table.rows.back().flags.push_back(reason);
  }
  return table;
}

/// Also by its steps: cells that differ in nothing else stand beside each other here.
std::string lone_label(const ComparedRow& row) {
  std::string label = cell_label(row.spec, row.size);
  if (row.spec.warmup) label += fmt::format(", warm-up {}", *row.spec.warmup);
  if (row.spec.steps) label += fmt::format(", {}", format_plural(*row.spec.steps, "step"));
  return label;
}

TableView lone_table(const std::vector<ComparedRow>& rows) {
  TableView table{.slug = "lone",
                  .title = "Cells that one run alone has, or that neither could measure",
                  .columns = {diff_left("Cell"), diff_left("Kind"), diff_left("Where")},
                  .rows = {}};
  std::set<std::string> seen;
  for (const ComparedRow& row : rows) {
    const bool neither = row.standing == RowStanding::kFailedBoth;
    const bool only_a = row.standing == RowStanding::kOnlyA;
    if (!neither && !only_a && row.standing != RowStanding::kOnlyB) continue;
    if (!seen.insert(row.cell).second) continue;
    table.rows.push_back({{side_cell(lone_label(row)), side_cell(std::string(name(row.spec.kind))),
                           side_cell(neither  ? "failed on both sides"
                                     : only_a ? "only in A"
                                              : "only in B")},
                          {},
                          {}});
    if (neither) table.rows.back().flags = {"A: " + row.a.reason, "B: " + row.b.reason};
  }
  return table;
}

}  // namespace labreport
