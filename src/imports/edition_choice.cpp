// Which edition's sizes a table names.
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "imports/reading.h"

namespace labreport {
namespace {

/// The size that `edition` calls so; null for none.
const Size* find_size(const Edition& edition, std::string_view word) {
  const std::string wanted = lower_case(word);
  const auto found = std::ranges::find_if(
      edition.sizes, [&](const Size& size) { return lower_case(size.name) == wanted; });
  return found == edition.sizes.end() ? nullptr : &*found;
}

std::set<std::string> named_sizes(const std::vector<TextTable>& tables) {
  std::set<std::string> names;
  for (const TextTable& table : tables) {
    const std::vector<ImportColumn> columns = columns_of(table);
    const ImportColumn* size = find_column(columns, Role::kSize);
    if (size == nullptr || find_column(columns, Role::kEdition) != nullptr) continue;
    const auto index = static_cast<std::size_t>(size - columns.data());
    for (const TableRow& row : table.rows) names.insert(plain_cell(row.cells.at(index)));
  }
  return names;
}

/// A size that no other edition has.
bool is_telling(const Edition& edition, const std::string& word) {
  return find_size(edition, word) != nullptr &&
         std::ranges::all_of(editions(), [&](const Edition& other) {
           return &other == &edition || find_size(other, word) == nullptr;
         });
}

bool means_the_same(const std::string& word) {
  const Size* first = find_size(editions().front(), word);
  return std::ranges::all_of(editions(), [&](const Edition& edition) {
    const Size* size = find_size(edition, word);
    return (size == nullptr) == (first == nullptr) &&
           (size == nullptr || size->shape == first->shape);
  });
}

}  // namespace

std::string edition_of(const std::vector<TextTable>& tables, const Declared& declared,
                       Readings& into) {
  if (declared.edition) return find_edition(*declared.edition).name;
  const std::set<std::string> names = named_sizes(tables);
  if (names.empty()) return editions().front().name;
  std::vector<std::string> telling;
  for (const Edition& edition : editions()) {
    const bool tells = std::ranges::any_of(
        names, [&](const std::string& word) { return is_telling(edition, word); });
    if (tells) telling.push_back(edition.name);
  }
  if (telling.size() == 1) return telling.front();
  for (const std::string& word : names) {
    if (telling.empty() && means_the_same(word)) continue;
    into.missing.push_back({"size " + in_quotes(word) + " is another network in each edition",
                            "--edition 2025 or --edition 2026"});
    return editions().front().name;
  }
  const std::string& first = editions().front().name;
  into.assumed.insert("edition " + first + ", whose sizes these are too: --edition says otherwise");
  return first;
}

}  // namespace labreport
