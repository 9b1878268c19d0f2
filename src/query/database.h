// Loads runs into SQLite tables in memory and answers queries. query_schema() describes the tables;
// functions.h lists the functions that queries may call in addition to SQLite's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace labreport {

struct FitRow;
struct Run;

/// A value of SQLite's type NULL, INTEGER, REAL or TEXT.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
};

/// The limits of a query. A query that exceeds a limit is stopped with an `InputError`.
struct QueryLimits {
  double seconds = 60;
  std::size_t rows = 1'000'000;
  std::int64_t bytes = std::int64_t{1} << 30;  ///< Memory that SQLite allocates.
  std::int64_t result_bytes = 128 << 20;       ///< Memory of all rows, before they are formatted.
};

/// Returns the commented SQL that creates the tables: schema.sql with the tables that are declared
/// elsewhere, of cells (results/cell_columns.h), of measured rows (results/table_shapes.h) and of
/// steps that fit (query/fit_table.h).
std::string query_schema();

class Database {
 public:
  Database();

  /// Adds a run under a name that no other run in the database has. Throws `InputError` if a value
  /// does not fit its column.
  void add(const Run& run, const std::string& name);

  /// Adds rows to the table `fits`.
  void add(const std::vector<FitRow>& rows);

  /// Runs one statement, which can only read. Throws `InputError` with the line and the column of
  /// an error and, for an unknown name, with the nearest known names.
  QueryResult select(const std::string& query, const QueryLimits& limits = {});

  /// Writes tables and views to a new SQLite file. Throws `InputError` if the file exists or cannot
  /// be written.
  void save(const std::filesystem::path& file);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace labreport
