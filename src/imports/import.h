// A text's tables, understood → runs with declared hardware and `source: imported`.
#pragma once

#include <map>
#include <set>

#include "imports/text_table.h"
#include "imports/vocabulary.h"
#include "results/run.h"

namespace labreport {

struct ImportColumn {
  std::size_t index = 0;
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

  /// The column of a role; null where there is none.
  const ImportColumn* find(Role role) const;
};

/// The tables of a text that have a column of sizes and one of values. Nothing is read of the words
/// around them. A deviation whose name leaves its subject or precision open gets those of the only
/// column of times that may be meant; where several may be, it is ignored. Throws `InputError`
/// where there is no such table, and for a mapped column that no table has.
std::vector<UnderstoodTable> understood_tables(const std::string& text, const std::string& file,
                                               const Mapped& mapped = {});

/// "size", "forward_std, ms", "ignored: not understood …"
std::string describe(const ImportColumn& column);

/// What the user says because the table does not.
struct Declared {
  std::map<Role, std::string> facts;  ///< In the words of a cell.
  std::string title;                  ///< Whose numbers they are; may be empty.
  std::string file;
};

struct Imported {
  /// One for each GPU, edition and source, in the order of the rows, without a session: the caller
  /// knows when and how it was called. Rows of different experiments are launches of one cell.
  std::vector<Run> runs;
  std::set<std::string> assumed;  ///< "batch 4, as in the handout: --batch says otherwise"
  /// Reason → the lines of rows, or cells of rows, that it leaves out.
  std::map<std::string, std::vector<std::size_t>> left_out;
};

/// A fact is a column's cell, else what the user declares, else the handout's of batch, warm-up and
/// steps. Throws `InputError`: with the line for what is ambiguous, cannot be or repeats another
/// row; once for all that is missing; for more cells than a run may have.
Imported import_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared);

}  // namespace labreport
