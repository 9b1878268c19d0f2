// Wraps a prepared statement of SQLite, which the destructor finalizes.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/metric.h"

namespace labreport {

/// Throws `Error` with SQLite's message about the call that failed last.
[[noreturn]] void throw_sqlite_error(sqlite3* database);

/// Runs SQL statements without parameters and results. Throws `Error` if SQLite refuses one.
void execute(sqlite3* database, const std::string& statements);

class Statement {
 public:
  /// Prepares the first statement of `text`. `tail` receives the text after it. Throws `Error` if
  /// SQLite refuses the statement.
  Statement(sqlite3* database, std::string_view text, std::string_view* tail = nullptr);

  /// Returns the first column of all rows, which must be text.
  std::vector<std::string> first_column_texts();

  /// Steps to the next row. Returns false after the last row.
  bool step();
  sqlite3_stmt* get() const { return statement_.get(); }

  /// Binds all parameters and runs a statement without result rows.
  template <typename... Values>
  void run(const Values&... values) {
    int parameter = 0;
    (bind(++parameter, values), ...);
    step_and_reset();
  }

  void bind(int parameter, std::int64_t value);
  void bind(int parameter, int value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, bool value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);  ///< The text must live until the step.
  void bind(int parameter, const std::string& text) { bind(parameter, std::string_view(text)); }
  void bind(int parameter, const char* text) { bind(parameter, std::string_view(text)); }
  void bind(int parameter, const Scalar& value);
  template <typename Value>
  void bind(int parameter, const std::optional<Value>& value) {
    if (value) return bind(parameter, *value);
    sqlite3_bind_null(get(), parameter);
  }
  /// Runs the statement with the bound parameters; it can then be run again.
  void step_and_reset();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace labreport
