#include "imports/column.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "imports/words.h"

namespace labreport {
namespace {

constexpr std::size_t kMostListed = 30;

ImportColumn column_at(const TextTable& table, std::size_t index, const Mapped& mapped) {
  const std::string name = plain_cell(table.header[index]);
  const auto said = mapped.find(name);
  if (const auto meaning = meaning_of(said == mapped.end() ? name : said->second)) {
    return {name, *meaning};
  }
  if (!name.empty()) {
    const std::string shown = in_quotes(name);
    return {name, {}, fmt::format("not understood; --map {}=MEANING says what it is", shown)};
  }
  // pandas prints the names of rows in a column without one.
  const bool sizes = std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return index < row.cells.size() && is_size(plain_cell(row.cells[index]));
  });
  return sizes ? ImportColumn{"", *meaning_of("size")} : ImportColumn{"", {}, "it has no name"};
}

/// Whether `mean` holds the times that `deviation` is of; `exactly`, by the very same name.
bool belongs(const Meaning& deviation, const Meaning& mean, bool exactly) {
  if (mean.role != Role::kValue || mean.deviation) return false;
  if (mean.subject && mean.subject->kind == CellKind::kMemory) return false;
  const auto fits = [&](const auto& wanted, const auto& found) {
    return wanted == found || (!exactly && !wanted);
  };
  return fits(deviation.subject, mean.subject) && fits(deviation.precision, mean.precision);
}

/// Null where there is none, or several.
ImportColumn* mean_of(const ImportColumn& deviation, std::vector<ImportColumn>& columns) {
  for (const bool exactly : {true, false}) {
    const auto fits = [&](const ImportColumn& column) {
      return belongs(deviation.meaning, column.meaning, exactly);
    };
    if (std::ranges::count_if(columns, fits) == 1) return &*std::ranges::find_if(columns, fits);
  }
  return nullptr;
}

}  // namespace

std::vector<UnderstoodTable> understood_tables(const std::string& text, const Mapped& mapped) {
  std::vector<TextTable> tables = find_tables(text);
  const std::set<std::string> names = column_names(tables);
  for (const auto& [name, meaning] : mapped) {
    if (names.contains(name)) continue;
    throw InputError(fmt::format("--map {}={}: no column is called so", in_quotes(name), meaning),
                     "there are " + listed(names));
  }
  std::vector<UnderstoodTable> understood;
  for (TextTable& table : tables) {
    std::vector<ImportColumn> columns = columns_of(table, mapped);
    const bool measurements = find_column(columns, Role::kSize) != nullptr &&
                              find_column(columns, Role::kValue) != nullptr;
    if (measurements) understood.push_back({std::move(table), std::move(columns)});
  }
  return understood;
}

std::set<std::string> column_names(const std::vector<TextTable>& tables) {
  std::set<std::string> names;
  for (const TextTable& table : tables) {
    for (const std::string& name : table.header) names.insert(plain_cell(name));
  }
  return names;
}

std::string listed(const std::set<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostListed) shown.push_back(in_quotes(name));
  }
  return join(shown, ", ") + (names.size() > kMostListed ? ", …" : "");
}

std::vector<ImportColumn> columns_of(const TextTable& table, const Mapped& mapped) {
  std::vector<ImportColumn> columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    columns.push_back(column_at(table, i, mapped));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Meaning& meaning = columns[i].meaning;
    if (!meaning.deviation) continue;
    if (ImportColumn* mean = mean_of(columns[i], columns)) {
      mean->deviations = i;
      meaning.name = mean->meaning.name;
      meaning.subject = mean->meaning.subject;
      meaning.precision = mean->meaning.precision;
    } else {
      columns[i].why = "of which column of times is it the deviation? --map says so";
      meaning = {};
    }
  }
  return columns;
}

std::string describe(const ImportColumn& column) {
  return column.why.empty() ? describe(column.meaning) : "ignored: " + column.why;
}

const ImportColumn* find_column(const std::vector<ImportColumn>& columns, Role role) {
  const auto found = std::ranges::find(
      columns, role, [](const ImportColumn& column) { return column.meaning.role; });
  return found == columns.end() ? nullptr : &*found;
}

const Size* size_named(const Edition& edition, std::string_view name) {
  const auto found = std::ranges::find_if(
      edition.sizes, [&](const Size& size) { return lower_case(size.name) == lower_case(name); });
  return found == edition.sizes.end() ? nullptr : &*found;
}

bool is_size(std::string_view name) {
  return std::ranges::any_of(
      editions(), [&](const Edition& edition) { return size_named(edition, name) != nullptr; });
}

}  // namespace labreport
