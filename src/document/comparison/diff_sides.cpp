// Makes the tables of a comparison that show no ratios: the two sides, and cells without a pair.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"

namespace labreport {
namespace {

struct SideFact {
  std::string label;
  Value a, b;
};

std::string limit_words(std::optional<double> limit, double scale, const char* unit) {
  return limit ? fmt::format("{} {}", format_significant(*limit / scale), unit) : "";
}

std::string rate_words(const ComparedRun& side, Precision precision) {
  constexpr double kTera = 1e12;
  const auto found = side.limits.sustained_gemm_rates.find(precision);
  return found == side.limits.sustained_gemm_rates.end()
             ? ""
             : limit_words(found->second, kTera, "TFLOP/s");
}

/// An import's time and revision are not those of the measurement, so they are not shown.
bool is_imported(const ComparedRun& side) { return side.source == "imported"; }

/// Lists the first two texts and how many more there are: "a, b and 3 more".
std::string first_texts(const std::vector<std::string>& texts) {
  constexpr std::size_t kMax = 2;
  const std::string first = join(std::span(texts).first(std::min(kMax, texts.size())), ", ");
  return texts.size() <= kMax ? first : fmt::format("{} and {} more", first, texts.size() - kMax);
}

using FactWriter = std::function<std::string(const ComparedRun&)>;

/// Returns the label of each fact, and the function that writes the fact of one side.
std::vector<std::pair<const char*, FactWriter>> fact_writers() {
  constexpr double kGiga = 1e9;
  static constexpr std::size_t kMinuteLength = std::string_view("2026-05-01T12:34").size();
  return {
      {"GPU", &ComparedRun::device},
      {"Published by", [](const auto& side) { return first_texts(side.table_titles); }},
      {"Published at", [](const auto& side) { return first_texts(side.table_sources); }},
      {"Assumed", [](const auto& side) { return first_texts(side.assumptions); }},
      {"Edition and preset",
       [](const auto& side) {
         return is_imported(side) ? side.edition : side.edition + ", " + side.preset;
       }},
      {"Started",
       [](const auto& side) {
         return is_imported(side) ? "imported" : side.started_at.substr(0, kMinuteLength);
       }},
      {"Revision",
       [](const auto& side) {
         return is_imported(side) ? "imported" : side.revision.substr(0, 8);
       }},
      {"Driver", &ComparedRun::driver},
      {"CPU", &ComparedRun::cpu},
      {"Power limit",
       [](const auto& side) {
         const double watts = side.power_limit_watts;
         return watts > 0 ? format_fixed(watts, 0) + " W" : "";
       }},
      {"Memory",
       [](const auto& side) {
         return side.memory_bytes > 0 ? format_bytes(side.memory_bytes) : "";
       }},
      {"GEMMs sustain, FP32", [](const auto& side) { return rate_words(side, Precision::kFp32); }},
      {"GEMMs sustain, BF16", [](const auto& side) { return rate_words(side, Precision::kBf16); }},
      {"Measured bandwidth",
       [](const auto& side) { return limit_words(side.limits.copy_bandwidth, kGiga, "GB/s"); }}};
}

Value words_or_nothing(const std::string& words) { return words.empty() ? Value() : Value(words); }

Value linked_name(const DiffSource& source) {
  const std::filesystem::path folder(source.name);
  Value name((folder.has_filename() ? folder : folder.parent_path()).filename().string());
  name.link = source.page;
  return name;
}

}  // namespace

Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b) {
  std::vector<SideFact> facts{{"Run", linked_name(a), linked_name(b)}};
  if (!comparison.a.implementation.empty() || !comparison.b.implementation.empty()) {
    facts.push_back({"Model", model_name(comparison.a), model_name(comparison.b)});
  }
  for (const auto& [label, write] : fact_writers()) {
    const Value of_a = words_or_nothing(write(comparison.a));
    const Value of_b = words_or_nothing(write(comparison.b));
    if (!of_a.is_missing() || !of_b.is_missing()) facts.push_back({label, of_a, of_b});
  }
  const SideNames names = side_names(comparison);
  const std::vector<Column<SideFact>> columns{{"what", "What", &SideFact::label},
                                              {"a", names.title_a, &SideFact::a},
                                              {"b", names.title_b, &SideFact::b}};
  return make_dataset("sides", columns, facts);
}

Dataset not_compared_data(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  std::vector<DiffRow> cells;
  std::set<std::string> seen;  // Only the first row of a cell is listed.
  for (const ComparedRow& row : comparison.rows) {
    const bool failed_both = row.status == RowStatus::kFailedBoth;
    const bool is_not_compared =
        failed_both || row.status == RowStatus::kOnlyA || row.status == RowStatus::kOnlyB;
    if (!is_not_compared || !seen.insert(row.cell_id).second) continue;
    cells.push_back({&row});
    if (!failed_both) continue;
    cells.back().flags = {names.title_a + ": " + row.a.missing_reason,
                          names.title_b + ": " + row.b.missing_reason};
  }
  const std::vector<Column<DiffRow>> columns{
      {"cell", "Cell",
       [](const DiffRow& cell) {
         // Cells may differ only in warm-up or steps, so these are part of the label.
         const CellSpec& spec = cell.compared->spec;
         std::string label = cell_label(spec, cell.compared->size);
         if (spec.warmup) label += fmt::format(", warm-up {}", *spec.warmup);
         if (spec.steps) label += fmt::format(", {}", format_plural(*spec.steps, "step"));
         return label;
       }},
      {"kind", "Kind", [](const DiffRow& cell) { return name(cell.compared->spec.kind); }},
      {"where", "Where", [&](const DiffRow& cell) {
         if (cell.compared->status == RowStatus::kFailedBoth)
           return std::string("failed on both sides");
         const bool in_a = cell.compared->status == RowStatus::kOnlyA;
         return "only in " + (in_a ? names.title_a : names.title_b);
       }}};
  return make_dataset("not-compared", columns, cells);
}

}  // namespace labreport
