// Runs as SQLite tables in memory, and what queries of them answer. schema.sql describes the
// tables; functions.h names the functions that queries may call beside SQLite's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace labreport {

struct Run;

/// NULL, INTEGER, REAL or TEXT.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
};

/// A query that uses up more than this is ended.
struct QueryLimits {
  double seconds = 60;
  std::size_t rows = 1'000'000;
  std::int64_t bytes = std::int64_t{1} << 30;  ///< Memory that SQLite holds.
};

/// The commented tables of every database.
std::string_view query_schema();

class Database {
 public:
  Database();

  /// Adds a run under a name that no other has. Throws `InputError` where a table holds what its
  /// columns do not take.
  void add(const Run& run, const std::string& name);

  /// Answers one statement, which can read and do nothing else. Throws `InputError` that names the
  /// line and the column, and the nearest name where SQLite does not know one.
  QueryResult select(const std::string& query, const QueryLimits& limits = {});

  /// Writes tables and views to a new SQLite file. Throws `InputError` where it cannot be written.
  void save(const std::filesystem::path& file);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace labreport
