// The columns of tables, understood by the vocabulary and by what the user maps to it.
#pragma once

#include <map>
#include <set>

#include "imports/text_table.h"
#include "imports/vocabulary.h"
#include "plan/editions.h"

namespace labreport {

struct ImportColumn {
  std::string name;
  Meaning meaning;
  std::string why = {};                        ///< It is ignored.
  std::optional<std::size_t> deviations = {};  ///< Of a mean: the column that holds them.
};

/// A table's name for a column → a name of the vocabulary, which stands for it.
using Mapped = std::map<std::string, std::string>;

struct UnderstoodTable {
  TextTable table;
  std::vector<ImportColumn> columns;
};

/// The tables of a text that have a column of sizes and one of values. Nothing is read of the words
/// around them. Throws `InputError` for a mapped column that no table has.
std::vector<UnderstoodTable> understood_tables(const std::string& text, const Mapped& mapped);

/// What their columns are called, and the first thirty of them for a message: "'a', 'b', …".
std::set<std::string> column_names(const std::vector<TextTable>& tables);
std::string listed(const std::set<std::string>& names);

/// A deviation whose name leaves its subject or precision open gets those of the only column of
/// times that may be meant; where several may be, it is ignored.
std::vector<ImportColumn> columns_of(const TextTable& table, const Mapped& mapped = {});

/// "size", "forward_std, ms", "ignored: not understood …"
std::string describe(const ImportColumn& column);

/// The column of a role; null where there is none.
const ImportColumn* find_column(const std::vector<ImportColumn>& columns, Role role);

/// Names are compared without case; null where the edition has none called so.
const Size* size_named(const Edition& edition, std::string_view name);
bool is_size(std::string_view name);  ///< Of some edition.

}  // namespace labreport
