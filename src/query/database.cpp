#include "query/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "query/functions.h"
#include "query/load.h"
#include "query/statement.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxValueBytes = 16 << 20;
constexpr int kInstructionsBetweenChecks = 10'000;  // of SQLite's virtual machine

/// Returns the position of the byte at `offset` in the text: "line 2, column 7".
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(text.size(), offset));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, letter_count(before.substr(line_start)) + 1);
}

/// An error of SQLite about an unknown name. Its message is the prefix and the name.
struct UnknownNameError {
  std::string_view prefix, kind;
  std::string_view names_query;
};
constexpr std::array<UnknownNameError, 3> kUnknownNameErrors{
    {{"no such column: ", "column",
      "select distinct c.name from sqlite_master t join pragma_table_info(t.name) c where t.type "
      "in ('table', 'view')"},
     {"no such table: ", "table", "select name from sqlite_master where type in ('table', 'view')"},
     {"no such function: ", "function", "select distinct name from pragma_function_list"}}};

[[noreturn]] void throw_write_error() {
  throw InputError("a query can only read", "begin it with `select` or `with`");
}

/// Names the tables that have a column, views first: "`size` is a column of measured and cell"; ""
/// if none has it.
std::string tables_with(sqlite3* database, const std::string& column) {
  constexpr std::size_t kMostTables = 4;
  Statement tables(
      database,
      "select t.name from sqlite_master t join pragma_table_info(t.name) c where t.type "
      "in ('table', 'view') and c.name = ? order by t.type = 'table', t.rowid");
  tables.bind(1, column);
  std::vector<std::string> names = tables.first_column_texts();
  if (names.empty()) return "";
  if (names.size() > kMostTables) {
    names.resize(kMostTables - 1);
    names.emplace_back("others");
  }
  return fmt::format("`{}` is a column of {}", column, join_words(names));
}

/// Throws `InputError` for a statement that could not be prepared. Removes the authorizer first,
/// because it would refuse the query for known names.
[[noreturn]] void throw_prepare_error(sqlite3* database, const std::string& query) {
  const int offset = sqlite3_error_offset(database);
  const std::string message = sqlite3_errmsg(database);
  if (sqlite3_errcode(database) == SQLITE_AUTH) throw_write_error();
  sqlite3_set_authorizer(database, nullptr, nullptr);
  for (const auto& [prefix, kind, names_query] : kUnknownNameErrors) {
    if (!message.starts_with(prefix)) continue;
    const std::string name = message.substr(prefix.size());
    const std::string_view unqualified = std::string_view(name).substr(name.rfind('.') + 1);
    const std::string place =
        line_and_column(query, offset < 0 ? query.find(name) : std::size_t(offset));
    const auto near = nearest(unqualified, Statement(database, names_query).first_column_texts());
    std::string hint = "the nearest are " + join_words(near);
    if (kind == "column") {
      const std::string exact = tables_with(database, std::string(unqualified));
      hint = !exact.empty() ? exact + "; name or join one of them"
                            : hint + "; " + tables_with(database, near.front());
    }
    throw InputError(fmt::format("{}: unknown {} '{}'", place, kind, name), hint);
  }
  if (offset < 0) throw InputError(message);
  throw InputError(fmt::format("{}: {}", line_and_column(query, std::size_t(offset)), message),
                   "`labreport query --tables` shows what there is");
}

/// SQLite asks this function whether a statement may perform an action. Only reading is allowed.
int authorize(void* /*unused*/, int action, const char* /*what*/, const char* name,
              const char* /*database*/, const char* /*trigger*/) {
  if (action == SQLITE_FUNCTION) {
    return sqlite3_stricmp(name, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
  }
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
  return reads ? SQLITE_OK : SQLITE_DENY;
}

/// While the guard exists, queries can only read, and they are stopped at their limits of time and
/// memory.
class QueryGuard {
 public:
  QueryGuard(sqlite3* database, const QueryLimits& limits)
      : database_(database),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(limits.seconds))) {
    sqlite3_set_authorizer(database, authorize, nullptr);
    sqlite3_progress_handler(database, kInstructionsBetweenChecks, is_past_deadline, this);
    sqlite3_hard_heap_limit64(limits.bytes);
  }
  ~QueryGuard() {
    sqlite3_set_authorizer(database_, nullptr, nullptr);
    sqlite3_progress_handler(database_, 0, nullptr, nullptr);
    sqlite3_hard_heap_limit64(0);
  }
  QueryGuard(const QueryGuard&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  static int is_past_deadline(void* guard) {
    return Clock::now() > static_cast<QueryGuard*>(guard)->deadline_ ? 1 : 0;
  }

  sqlite3* database_;
  Clock::time_point deadline_;
};

SqlValue column_value(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default:
      break;
  }
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

[[noreturn]] void throw_too_large() {
  throw InputError("the query needs more memory than a query may have",
                   "select less, or join by keys");
}

/// Throws `InputError` for a query that failed while it ran.
[[noreturn]] void throw_run_error(sqlite3* database, const QueryLimits& limits) {
  const int code = sqlite3_errcode(database);
  if (code == SQLITE_AUTH) throw_write_error();
  if (code == SQLITE_INTERRUPT) {
    throw InputError(fmt::format("the query was ended after {} s", limits.seconds),
                     "select less, or join by keys");
  }
  if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG) throw_too_large();
  throw InputError(fmt::format("the query failed: {}", sqlite3_errmsg(database)));
}

Statement prepare(sqlite3* database, const std::string& query) {
  std::string_view tail;
  try {
    Statement statement(database, query, &tail);
    if (statement.get() == nullptr)
      throw InputError("the query is empty", "write one that begins with `select`");
    if (!trimmed(tail).empty()) {
      throw InputError(fmt::format("{}: a second statement begins",
                                   line_and_column(query, query.size() - trimmed(tail).size())),
                       "give one");
    }
    return statement;
  } catch (const InputError&) {
    throw;
  } catch (const Error&) {
    throw_prepare_error(database, query);
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database::Database() {
  sqlite3* database = nullptr;
  const int status = sqlite3_open(":memory:", &database);
  database_.reset(database);
  if (status != SQLITE_OK) throw Error("SQLite cannot open a database in memory");
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  add_functions(database);
  // Temporary files would evade the limit of memory.
  execute(database, "pragma temp_store = memory");
  execute(database, query_schema());
  // SQLite creates this table when it is first used, which the authorizer would refuse.
  execute(database, "select * from json_each('[]')");
}

void Database::add(const Run& run, const std::string& name) try {
  load(database_.get(), run, name);
} catch (const InputError&) {
  throw;
} catch (const Error& error) {
  throw InputError(fmt::format("{} does not fit the tables: {}", name, error.what()));
}

void Database::add(const std::vector<FitRow>& rows) { load(database_.get(), rows); }

QueryResult Database::select(const std::string& query, const QueryLimits& limits) {
  const QueryGuard guard(database_.get(), limits);
  Statement statement = prepare(database_.get(), query);
  QueryResult result;
  std::int64_t result_bytes = 0;
  const int column_count = sqlite3_column_count(statement.get());
  for (int i = 0; i < column_count; ++i)
    result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  try {
    while (statement.step()) {
      if (result.rows.size() == limits.rows) {
        throw InputError(fmt::format("the query has more than {} rows", limits.rows),
                         "add a limit");
      }
      auto& row = result.rows.emplace_back();
      for (int i = 0; i < column_count; ++i) {
        row.push_back(column_value(statement.get(), i));
        result_bytes += sizeof(SqlValue) + sqlite3_column_bytes(statement.get(), i);
      }
      if (result_bytes > limits.result_bytes) throw_too_large();
    }
  } catch (const InputError&) {
    throw;
  } catch (const Error&) {
    throw_run_error(database_.get(), limits);
  }
  return result;
}

void Database::save(const std::filesystem::path& file) {
  if (fs::exists(fs::symlink_status(file)))
    throw InputError(file.string() + " is there already", "choose another name, or delete it");
  // An absolute path is never one of SQLite's special names, such as ":memory:".
  const fs::path unfinished = fs::absolute(temporary_path(file));
  remove_tree(unfinished);
  std::error_code failure;
  try {
    Statement(database_.get(), "vacuum into ?").run(unfinished.string());
  } catch (const Error& error) {
    fs::remove(unfinished, failure);
    throw InputError(fmt::format("cannot write {}: {}", file.string(), error.what()),
                     "choose another name, or free some space");
  }
  fs::rename(unfinished, file);
}

}  // namespace labreport
