#include "imports/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "imports/row.h"

namespace labreport {
namespace {

constexpr std::size_t kMostListed = 30;

ImportColumn column_at(const TextTable& table, std::size_t index, const Mapped& mapped) {
  const std::string& name = table.header[index];
  const auto said = mapped.find(name);
  if (const auto meaning = meaning_of(said == mapped.end() ? name : said->second)) {
    return {index, name, *meaning};
  }
  if (!name.empty()) {
    const std::string shown = in_quotes(name);
    return {
        index, name, {}, fmt::format("not understood; --map {}=MEANING says what it is", shown)};
  }
  // pandas prints the names of rows in a column without one.
  const bool sizes = std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return index < row.cells.size() && is_size(row.cells[index]);
  });
  if (sizes) return {index, "", *meaning_of("size")};
  return {index, "", {}, "it has no name"};
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

std::vector<ImportColumn> columns_of(const TextTable& table, const Mapped& mapped) {
  std::vector<ImportColumn> columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    columns.push_back(column_at(table, i, mapped));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].meaning.deviation) continue;
    if (ImportColumn* mean = mean_of(columns[i], columns)) {
      mean->deviations = i;
      const Unit* unit = columns[i].meaning.unit;
      columns[i].meaning = mean->meaning;
      columns[i].meaning.unit = unit;
      columns[i].meaning.deviation = true;
    } else {
      columns[i].why = "of which column of times is it the deviation? --map says so";
      columns[i].meaning = {};
    }
  }
  return columns;
}

/// The first thirty, for a message: "'a', 'b', …".
std::string names_in(const std::vector<TextTable>& tables) {
  std::set<std::string> names;
  for (const TextTable& table : tables) names.insert(table.header.begin(), table.header.end());
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    shown.push_back(shown.size() < kMostListed ? in_quotes(name) : "…");
    if (shown.size() > kMostListed) break;
  }
  return join(shown, ", ");
}

void check_mapped(const Mapped& mapped, const std::vector<TextTable>& tables) {
  for (const auto& [name, meaning] : mapped) {
    const bool here = std::ranges::any_of(tables, [&](const TextTable& table) {
      return std::ranges::find(table.header, name) != table.header.end();
    });
    if (here) continue;
    throw InputError(fmt::format("--map {}={}: no column is called so", in_quotes(name), meaning),
                     "there are " + names_in(tables));
  }
}

}  // namespace

const ImportColumn* UnderstoodTable::find(Role role) const {
  const auto found = std::ranges::find(
      columns, role, [](const ImportColumn& column) { return column.meaning.role; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<UnderstoodTable> understood_tables(const std::string& text, const std::string& file,
                                               const Mapped& mapped) {
  const std::vector<TextTable> tables = find_tables(text);
  check_mapped(mapped, tables);
  std::vector<UnderstoodTable> understood;
  for (const TextTable& table : tables) {
    UnderstoodTable one{table, columns_of(table, mapped)};
    if (one.find(Role::kSize) && one.find(Role::kValue)) understood.push_back(std::move(one));
  }
  if (!understood.empty()) return understood;
  const std::string remedy = ": --map COLUMN=MEANING says what is one of " + names_in(tables);
  throw InputError(
      file + " holds no table of measurements",
      "one needs a column of sizes and one of times or peaks" + (tables.empty() ? "" : remedy));
}

std::string describe(const ImportColumn& column) {
  return column.why.empty() ? describe(column.meaning) : "ignored: " + column.why;
}

}  // namespace labreport
