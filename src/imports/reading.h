// The rows of an understood table as readings: one published number each, with its parameters.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "imports/column.h"
#include "plan/editions.h"
#include "results/run.h"

namespace labreport {

/// What the user says because the table does not. A column that says it too is a contradiction.
struct Declared {
  std::optional<std::string> gpu, edition;
  std::optional<Unit> unit;
  std::optional<std::int64_t> context, batch, warmup, steps;
  std::optional<Precision> precision;
  std::string title, source;  ///< Where the table was published; may be empty.
  std::string file;
};

struct Reading {
  std::string gpu;
  std::string edition;
  std::string source;
  std::string experiment;
  CellSpec spec;
  std::string_view name;   ///< `Subject::name`
  Outcome outcome;         ///< Ok or OutOfMemory.
  std::int64_t value = 0;  ///< Nanoseconds or bytes; meaningless when out of memory.
  std::optional<std::int64_t> deviation;
  std::size_t line = 0;
};

/// What neither the table nor the user says, and nothing can be assumed for.
struct MissingFact {
  std::string problem;   ///< "nothing says on which GPU this was measured"
  std::string flag;      ///< "--gpu NAME"
  std::size_t line = 0;  ///< Where it was missed first; 0: in no line.
};

struct Readings {
  std::vector<Reading> readings;
  std::vector<MissingFact> missing;  ///< All that must be said before anything is kept.
  std::set<std::string> assumed;     ///< "batch 4, as in the handout: --batch says otherwise"
  /// Reason → the lines of rows, or cells of rows, that it leaves out.
  std::map<std::string, std::vector<std::size_t>> left_out;
};

/// `edition` is for tables without such a column. Throws `InputError` with the line for what is
/// ambiguous or cannot be.
Readings read_table(const TextTable& table, const std::vector<ImportColumn>& columns,
                    const Declared& declared, const std::string& edition);

/// The edition whose sizes these tables name, where neither a column nor the user says it; tells
/// what is assumed, or that it is missing, where the editions mean different networks by a name.
std::string edition_of(const std::vector<TextTable>& tables, const Declared& declared,
                       Readings& into);

/// Adds the facts that are not among them yet, each once, by its flag.
void add_missing(std::vector<MissingFact>& all, const std::vector<MissingFact>& more);

/// Throws `InputError` that asks for all of them at once, where there are any.
void refuse_missing(const std::vector<MissingFact>& missing, const std::string& file);

/// What words above one table say of the context holds for later tables whose own say nothing.
void share_contexts(std::vector<TextTable>& tables);

/// The one context that the words above a table name, else the one that words above earlier tables
/// do, with whose words these were; nothing where there is none, or several.
struct NearbyContext {
  std::int64_t context = 0;
  std::string_view whose;
};
std::optional<NearbyContext> nearby_context(const TextTable& table);

/// "line 12", with the file's name in front. Throws `InputError`.
[[noreturn]] void refuse_line(const std::string& file, std::size_t line, const std::string& problem,
                              const std::string& remedy = "");

/// Throws `InputError` for rows that are longer or shorter than their header, and for tables beyond
/// 256 columns or 10,000 rows.
void check_shape(TextTable& table, const std::string& file);

}  // namespace labreport
