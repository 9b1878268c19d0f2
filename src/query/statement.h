// A prepared statement of SQLite, finalized when its owner is destroyed.
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

/// Throws an `Error` with the message of SQLite's last call.
[[noreturn]] void refuse_by_sqlite(sqlite3* database);

void execute(sqlite3* database, const std::string& statements);

class Statement {
 public:
  /// Throws `Error` if SQLite refuses the text. `tail` receives the text after the first statement.
  Statement(sqlite3* database, std::string_view text, std::string_view* tail = nullptr);

  /// Returns the first column of all rows.
  std::vector<std::string> texts();

  /// Steps to the next row; returns false after the last one.
  bool step();
  sqlite3_stmt* get() const { return statement_.get(); }

  /// Binds all parameters and runs a statement without result rows.
  template <typename... Values>
  void run(const Values&... values) {
    int parameter = 0;
    (bind(++parameter, values), ...);
    finish();
  }

  void bind(int parameter, std::int64_t value);
  void bind(int parameter, int value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, bool value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);  ///< The text must live until finish().
  void bind(int parameter, const std::string& text) { bind(parameter, std::string_view(text)); }
  void bind(int parameter, const char* text) { bind(parameter, std::string_view(text)); }
  void bind(int parameter, std::nullopt_t null);
  void bind(int parameter, const Scalar& value);
  template <typename Value>
  void bind(int parameter, const std::optional<Value>& value) {
    if (value) {
      bind(parameter, *value);
    } else {
      bind(parameter, std::nullopt);
    }
  }
  void finish();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace labreport
