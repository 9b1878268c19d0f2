#include "query/statement.h"

#include "base/error.h"

namespace labreport {

void throw_sqlite_error(sqlite3* database) { throw Error(sqlite3_errmsg(database)); }

void execute(sqlite3* database, const std::string& statements) {
  if (sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw_sqlite_error(database);
  }
}

Statement::Statement(sqlite3* database, std::string_view text, std::string_view* tail) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int status =
      sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &statement, &rest);
  statement_.reset(statement);
  if (status != SQLITE_OK) throw_sqlite_error(database);
  if (tail != nullptr) *tail = text.substr(static_cast<std::size_t>(rest - text.data()));
}

bool Statement::step() {
  const int status = sqlite3_step(get());
  if (status != SQLITE_ROW && status != SQLITE_DONE) throw_sqlite_error(sqlite3_db_handle(get()));
  return status == SQLITE_ROW;
}

std::vector<std::string> Statement::first_column_texts() {
  std::vector<std::string> texts;
  while (step()) {
    texts.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(get(), 0)));
  }
  return texts;
}

void Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(get(), parameter, value);
}

void Statement::bind(int parameter, double value) { sqlite3_bind_double(get(), parameter, value); }

void Statement::bind(int parameter, std::string_view text) {
  // An empty view may have a null address, which SQLite would bind as NULL.
  const char* bytes = text.empty() ? "" : text.data();
  sqlite3_bind_text64(get(), parameter, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int parameter, const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return bind(parameter, *text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return bind(parameter, *integer);
  if (const auto* real = std::get_if<double>(&value)) return bind(parameter, *real);
  if (const auto* truth = std::get_if<bool>(&value)) return bind(parameter, *truth);
  sqlite3_bind_null(get(), parameter);
}

void Statement::step_and_reset() {
  step();
  sqlite3_reset(get());
}

}  // namespace labreport
