// One row of a table: what is said of it by its cells, else by the user, else by the handout.
#pragma once

#include "imports/import.h"
#include "plan/editions.h"

namespace labreport {

/// One published number with its parameters.
struct Reading {
  std::string gpu;
  std::string edition;
  std::string source;
  std::string experiment;
  CellSpec spec;
  std::string_view metric;  ///< `Subject::metric`
  Outcome outcome;          ///< Ok or OutOfMemory.
  std::int64_t value = 0;   ///< Nanoseconds or bytes; meaningless when out of memory.
  std::optional<std::int64_t> deviation;
  std::size_t line = 0;
};

/// What the rows of all tables say together.
struct Readings {
  std::vector<Reading> readings;
  std::set<std::string> assumed;                             ///< As in `Imported`.
  std::map<std::string, std::vector<std::size_t>> left_out;  ///< Likewise.
  /// Flag → what is missing: what neither the table nor the user says, and nothing is assumed for.
  std::map<std::string, std::string> missing;
};

/// Adds a row's readings; `edition` is that of tables that name none. Throws `InputError`.
void read_row(const UnderstoodTable& table, const TableRow& row, const Declared& declared,
              const std::string& edition, Readings& into);

/// Names are compared without case; null where the edition has none called so.
const Size* size_named(const Edition& edition, std::string_view name);
bool is_size(std::string_view name);  ///< Of some edition.

}  // namespace labreport
