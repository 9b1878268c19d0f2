#include <algorithm>
#include <array>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/timing.h"
#include "experiments/overview/overview.h"
#include "results/beside_others.h"

namespace labreport::overview {
namespace {

const std::map<std::string, std::string>& words_of_status() {
  static const std::map<std::string, std::string> words{
      {"ok", "ok"},           {"oom", "out of memory"},
      {"skipped", "skipped"}, {"timeout", "timed out"},
      {"crashed", "crashed"}, {"error", "failed"}};
  return words;
}

std::string status_word(const Cell& cell) {
  const Launch* launch = representative(cell);
  if (launch == nullptr) return "not measured";
  return words_of_status().at(std::string(status_name(launch->outcome)));
}

/// Which the status of a cell does not tell; empty: none.
std::string measured_again(const Run& run) {
  const auto again = std::ranges::count_if(run.cells, [](const Cell& cell) {
    return std::ranges::any_of(cell.launches, ran_out_beside_others);
  });
  if (again == 0) return "";
  return "; " + format_count(again) + " measured again, as memory ran out beside other processes";
}

/// "24 ok, 1 out of memory": the steps of one mode.
std::string counted_words(const std::vector<const Cell*>& cells, Mode mode) {
  std::map<std::string, std::int64_t> counts;
  for (const Cell* cell : cells) {
    if (cell->spec.mode == mode) ++counts[status_word(*cell)];
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(format_count(count) + " " + word);
  return join(parts, ", ");
}

/// Such steps have many contexts: they are counted, not listed.
void add_counted(TableView& table, const RunView& view, CellKind kind, const char* label) {
  const auto cells = view.cells(kind);
  if (cells.empty()) return;
  RowView row{{text_cell(label)}, {}, ""};
  for (const Mode mode : kModes) {
    const std::string words = counted_words(cells, mode);
    row.cells.push_back(words.empty() ? missing_cell() : text_cell(words));
  }
  table.rows.push_back(std::move(row));
}

}  // namespace

TableView what_ran(const RunView& view) {
  TableView table{"what-ran", "Outcome by size and mode", {{"Size", "", Align::kLeft}}, {}};
  for (const Mode mode : kModes) {
    table.columns.push_back({std::string(describe(mode)), "", Align::kLeft});
  }
  for (const TimingGroup& group : timing_groups(view)) {
    RowView row{{text_cell(group.label)}, {}, ""};
    for (const Mode mode : kModes) {
      const auto found = group.cells.find(mode);
      row.cells.push_back(found == group.cells.end() ? missing_cell()
                                                     : text_cell(status_word(*found->second)));
    }
    table.rows.push_back(std::move(row));
  }
  add_counted(table, view, CellKind::kKernels, "profiled steps");
  add_counted(table, view, CellKind::kMemory, "steps with memory recorded");
  return table;
}

std::string outcome_line(const Run& run) {
  std::map<std::string, std::int64_t> counts;
  for (const Cell& cell : run.cells) ++counts[status_word(cell)];
  std::vector<std::string> parts;
  for (const char* word :
       {"ok", "out of memory", "skipped", "timed out", "crashed", "failed", "not measured"}) {
    if (counts[word] > 0) parts.push_back(format_count(counts[word]) + " " + word);
  }
  return format_plural(static_cast<std::int64_t>(run.cells.size()), "cell") + ": " +
         join(parts, ", ") + measured_again(run);
}

}  // namespace labreport::overview
