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

/// True for a column of words, or of numbers that name their row.
bool is_left_aligned(const Dataset& dataset, std::size_t column) {
  if (dataset.columns[column].notation.form == Notation::kRowNumber) return true;
  return std::ranges::any_of(dataset.rows, [column](const RowView& row) {
    return std::holds_alternative<std::string>(row.cells[column].content);
  });
}

/// If all numbers of the row are missing, replaces them by the first reason of their cells, or else
/// by `fallback`, which a label or an omitted column gives. If a number is present, adds the first
/// reason of the cells to the flags instead.
void explain_missing(RowView& row, std::size_t label_count, const std::string& fallback) {
  std::string reason;
  bool has_number = false;
  for (const Value& value : row.cells | std::views::drop(label_count)) {
    if (reason.empty()) reason = value.reason;
    has_number = has_number || !value.is_missing();
  }
  if (reason.empty() && !has_number) reason = fallback;
  if (reason.empty()) return;
  if (has_number) return row.flags.push_back(reason);
  row.missing_reason = reason;
  row.cells.resize(label_count);
}

}  // namespace

TableView table_of(const Dataset& dataset, const ColumnChoice& choice) {
  TableView table{.slug = dataset.name, .title = {}, .columns = {}, .rows = {}};
  const std::vector<std::size_t> chosen = chosen_columns(dataset, choice);
  std::vector<std::size_t> shown = chosen;
  std::size_t label_count = 0;
  while (label_count < shown.size() && is_left_aligned(dataset, shown[label_count])) {
    ++label_count;
  }
  const auto is_empty = [&](std::size_t column) {
    return std::ranges::all_of(dataset.rows,
                               [&](const auto& row) { return row.cells[column].is_missing(); });
  };
  const auto after_labels =
      shown.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(label_count, 1));
  shown.erase(std::remove_if(after_labels, shown.end(), is_empty), shown.end());
  if (shown.size() == label_count) {  // Reasons without numbers need a column, too.
    const auto with_reason =
        std::ranges::find_if(chosen | std::views::drop(label_count), [&](std::size_t column) {
          return std::ranges::any_of(
              dataset.rows, [&](const auto& row) { return !row.cells[column].reason.empty(); });
        });
    if (with_reason != chosen.end()) shown.push_back(*with_reason);
  }
  for (const std::size_t i : shown) {
    const auto& [name, title, unit, notation] = dataset.columns[i];
    const Align align = is_left_aligned(dataset, i) ? Align::kLeft : Align::kRight;
    table.columns.push_back({title, unit, align, false, notation});
  }
  for (const RowView& row : dataset.rows) {
    RowView& view = table.rows.emplace_back(row);
    view.cells.clear();
    for (const std::size_t i : shown) view.cells.push_back(row.cells[i]);
    const auto found =
        std::ranges::find_if(chosen, [&](std::size_t i) { return !row.cells[i].reason.empty(); });
    explain_missing(view, label_count, found == chosen.end() ? "" : row.cells[*found].reason);
  }
  return table;
}

nlohmann::json json_rows(const Dataset& dataset, const FieldFilter& filter) {
  const auto needs = [&](const std::string& name) { return !filter || filter(name); };
  std::vector<nlohmann::json> rows(dataset.rows.size(), nlohmann::json::object());
  const bool needs_reason = needs("reason");
  for (std::size_t i = 0; i < dataset.columns.size(); ++i) {
    const auto& [name, title, unit, notation] = dataset.columns[i];
    const bool needs_value = needs(name), needs_text = needs(name + "_text");
    const bool needs_deviation = needs(name + "_deviation");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Value& value = dataset.rows[r].cells[i];
      const auto* words = std::get_if<std::string>(&value.content);
      if (needs_value && words != nullptr) rows[r][name] = *words;
      if (words != nullptr) continue;
      if (needs_value)
        rows[r][name] = value.is_missing() ? nlohmann::json() : nlohmann::json(*value.number());
      if (needs_text) rows[r][name + "_text"] = format_value(value, notation);
      if (needs_deviation && value.deviation) rows[r][name + "_deviation"] = *value.deviation;
      if (needs_reason && !value.reason.empty()) rows[r]["reason"] = value.reason;
    }
  }
  return rows;
}

}  // namespace labreport
