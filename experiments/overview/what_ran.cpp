#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "document/dataset.h"
#include "experiments/overview/overview.h"
#include "results/beside_others.h"

namespace labreport::overview {
namespace {

constexpr std::pair<std::string_view, const char*> kStatusWords[]{
    {"oom", "out of memory"}, {"skipped", "skipped"}, {"timeout", "timed out"},
    {"crashed", "crashed"},   {"error", "failed"},    {"", "not measured"}};

std::string_view status(const Cell& cell) {
  const Launch* launch = representative(cell);
  return launch == nullptr ? std::string_view() : status_name(launch->outcome);
}

std::string subject(const Cell& cell) {
  if (cell.spec.kind == CellKind::kTiming) return "time";
  return cell.spec.kind == CellKind::kKernels ? "profile" : std::string(name(cell.spec.kind));
}

Value mode(const Cell& cell) { return cell.spec.mode ? Value(describe(*cell.spec.mode)) : Value(); }

Value precision(const Cell& cell) {
  return cell.spec.precision ? Value(describe(*cell.spec.precision)) : Value();
}

const std::vector<Column<Cell>> kMissing{
    {"subject", "Measurement", subject},
    {"size", "Size", [](const Cell& cell) { return cell.spec.size; }},
    {"mode", "Mode", mode},
    {"precision", "Precision", precision},
    {"context",
     "Context",
     [](const Cell& cell) { return Value(cell.spec.context); },
     "",
     {Notation::kCount}},
    {"reason", "Reason", [](const Cell& cell) { return reason_missing(cell); }}};

/// Which the status of a cell does not tell; empty: none.
std::string measured_again(const Run& run) {
  const auto again = std::ranges::count_if(run.cells, [](const Cell& cell) {
    return std::ranges::any_of(cell.launches, ran_out_beside_others);
  });
  if (again == 0) return "";
  return "; " + format_count(again) + " repeated because other processes held the memory";
}

}  // namespace

TableView what_ran(const RunView& view) {
  std::vector<Cell> missing = view.run().cells;
  std::erase_if(missing, [](const Cell& cell) {
    return representative(cell) == nullptr || reason_missing(cell).empty();
  });
  if (missing.empty()) return {};
  TableView table = table_of(make_dataset("what-ran", kMissing, missing));
  table.title = "What did not run";
  return table;
}

std::string outcome_line(const Run& run) {
  std::map<std::string_view, std::int64_t> counts;
  for (const Cell& cell : run.cells) ++counts[status(cell)];
  const auto cells = static_cast<std::int64_t>(run.cells.size());
  const bool imported = run.source == "imported";
  if (counts["ok"] == cells) {
    if (imported) return format_plural(cells, "cell");
    return (cells > 1 ? "All " : "") + format_plural(cells, "measurement") + " succeeded" +
           measured_again(run);
  }
  std::vector<std::string> others;
  for (const auto& [word, words] : kStatusWords) {
    if (counts[word] > 0) others.push_back(format_count(counts[word]) + " " + words);
  }
  const std::string failed = " (" + join(others, ", ") + ")";
  if (imported) return format_plural(cells, "cell") + failed;
  return format_count(counts["ok"]) + " of " + format_plural(cells, "measurement") + " succeeded" +
         failed + measured_again(run);
}

}  // namespace labreport::overview
