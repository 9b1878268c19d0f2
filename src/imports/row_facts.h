// What is said of a row: by its cells, else by the user, else by the handout.
#pragma once

#include "base/error.h"
#include "imports/reading.h"

namespace labreport {

/// A row or a value left out, and why: not wrong, but nothing to keep.
class LeftOut : public Error {
 public:
  using Error::Error;
};

class RowFacts {
 public:
  RowFacts(const UnderstoodTable& table, const TableRow& row, const Declared& declared,
           Readings& into)
      : columns_(table.columns), row_(row), declared_(declared), into_(into) {}

  bool has(Role role) const { return find_column(columns_, role) != nullptr; }
  std::string cell(Role role) const;  ///< Empty where there is no such column.

  /// Adds to what is missing, where nothing says it, and to what is assumed. Throws `LeftOut` for
  /// an empty cell.
  std::optional<std::string> fact(Role role);
  std::int64_t number(Role role);  ///< Anything where it is missing.
  Precision precision();           ///< Likewise.
  Subject subject() const;         ///< Throws `LeftOut` where the row's mode is unknown.

  /// Refuses a cell that is there and says another number.
  void check_number(Role role, std::int64_t expected) const;

 protected:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy = "") const;

  const std::vector<ImportColumn>& columns_;
  const TableRow& row_;
  const Declared& declared_;
  Readings& into_;
};

}  // namespace labreport
