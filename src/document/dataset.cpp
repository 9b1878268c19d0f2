#include "document/dataset.h"

#include <algorithm>
#include <ranges>

#include "base/error.h"

namespace labreport {
namespace {

std::vector<std::size_t> chosen_columns(const Dataset& dataset, const ColumnChoice& choice) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; choice.empty() && i < dataset.columns.size(); ++i) chosen.push_back(i);
  for (const std::string& name : choice) {
    const auto found = std::ranges::find(dataset.columns, name, &DataColumn::name);
    if (found == dataset.columns.end()) {
      throw Error("dataset " + dataset.name + " has no column '" + name + "'");
    }
    chosen.push_back(static_cast<std::size_t>(found - dataset.columns.begin()));
  }
  return chosen;
}

bool holds_words(const Dataset& dataset, std::size_t column) {
  if (dataset.columns[column].notation.form == Notation::kName) return true;
  return std::ranges::any_of(dataset.rows, [column](const RowView& row) {
    return std::holds_alternative<std::string>(row.cells[column].held);
  });
}

/// Replaces the cells after the first `labels` by the reason for missing numbers if all are
/// missing, else adds the reason to the flags. `fallback` is the reason if every column that has
/// one was left out.
void explain_missing(RowView& row, std::size_t labels, const std::string& fallback) {
  std::string reason;
  bool any = false;
  for (const Value& value : row.cells | std::views::drop(labels)) {
    if (reason.empty()) reason = value.reason;
    any = any || !value.is_missing();
  }
  if (reason.empty() && !any) reason = fallback;
  if (reason.empty()) return;
  if (any) return row.flags.push_back(reason);
  row.note = reason;
  row.cells.resize(labels);
}

}  // namespace

TableView table_of(const Dataset& dataset, const ColumnChoice& choice) {
  TableView table{.slug = dataset.name, .title = {}, .columns = {}, .rows = {}};
  std::vector<std::size_t> columns = chosen_columns(dataset, choice);
  const std::vector<std::size_t> chosen = columns;
  std::size_t labels = 0;
  while (labels < columns.size() && holds_words(dataset, columns[labels])) ++labels;
  const auto is_empty = [&](std::size_t column) {
    return std::ranges::all_of(dataset.rows,
                               [&](const auto& row) { return row.cells[column].is_missing(); });
  };
  const auto after_names =
      columns.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(labels, 1));
  columns.erase(std::remove_if(after_names, columns.end(), is_empty), columns.end());
  for (const std::size_t i : columns) {
    const auto& [name, title, unit, notation] = dataset.columns[i];
    const Align align = holds_words(dataset, i) ? Align::kLeft : Align::kRight;
    table.columns.push_back({title, unit, align, false, notation});
  }
  for (const RowView& row : dataset.rows) {
    RowView& view = table.rows.emplace_back(row);
    view.cells.clear();
    for (const std::size_t i : columns) view.cells.push_back(row.cells[i]);
    const auto reason =
        std::ranges::find_if(chosen, [&](std::size_t i) { return !row.cells[i].reason.empty(); });
    explain_missing(view, labels, reason == chosen.end() ? "" : row.cells[*reason].reason);
  }
  return table;
}

nlohmann::json rows_of(const Dataset& dataset, const WantedField& wanted) {
  const auto is_wanted = [&](const std::string& name) { return !wanted || wanted(name); };
  std::vector<nlohmann::json> rows(dataset.rows.size(), nlohmann::json::object());
  const bool reasons = is_wanted("reason");
  for (std::size_t i = 0; i < dataset.columns.size(); ++i) {
    const auto& [name, title, unit, notation] = dataset.columns[i];
    const bool plain = is_wanted(name), text = is_wanted(name + "_text");
    const bool deviation = is_wanted(name + "_deviation");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Value& value = dataset.rows[r].cells[i];
      const auto* words = std::get_if<std::string>(&value.held);
      if (plain && words != nullptr) rows[r][name] = *words;
      if (words != nullptr) continue;
      if (plain)
        rows[r][name] = value.is_missing() ? nlohmann::json() : nlohmann::json(*value.number());
      if (text) rows[r][name + "_text"] = format_value(value, notation);
      if (deviation && value.deviation) rows[r][name + "_deviation"] = *value.deviation;
      if (reasons && !value.reason.empty()) rows[r]["reason"] = value.reason;
    }
  }
  return rows;
}

}  // namespace labreport
