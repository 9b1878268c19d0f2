// The rows of understood tables as readings: one published number each, with its parameters.
#pragma once

#include <set>

#include "imports/column.h"
#include "results/run.h"

namespace labreport {

/// What the user says because the table does not.
struct Declared {
  std::map<Role, std::string> facts;  ///< In the words of a cell.
  std::string title;                  ///< Whose numbers they are; may be empty.
  std::string file;
};

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

struct Readings {
  std::vector<Reading> readings;
  std::set<std::string> assumed;  ///< "batch 4, as in the handout: --batch says otherwise"
  /// Reason → the lines of rows, or cells of rows, that it leaves out.
  std::map<std::string, std::vector<std::size_t>> left_out;
  /// Flag → what is missing: what neither the table nor the user says, and nothing is assumed for.
  std::map<std::string, std::string> missing;
};

/// A fact is a column's cell, else what the user declares, else the handout's of batch, warm-up and
/// steps. Throws `InputError`: with the line for what is
/// ambiguous or cannot be, and, once for all of them, for what is missing.
Readings read_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared);

/// The rows of one, with the edition of tables that have none; what is missing is left to say.
void read_rows(const UnderstoodTable& table, const Declared& declared, const std::string& edition,
               Readings& into);

}  // namespace labreport
