#include "query/load.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "query/fit_table.h"
#include "query/statement.h"
#include "results/cell_columns.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// A prepared INSERT with a parameter for each column of a table.
class Insertion {
 public:
  Insertion(sqlite3* database, const std::string& table)
      : columns_(columns_of(database, table)), statement_(database, insert_sql(table)) {}

  const std::vector<std::string>& columns() const { return columns_; }
  Statement& statement() { return statement_; }

 private:
  static std::vector<std::string> columns_of(sqlite3* database, const std::string& table) {
    Statement names(database, "select name from pragma_table_info(?)");
    names.bind(1, table);
    return names.first_column_texts();
  }

  std::string insert_sql(const std::string& table) const {
    std::string text = "insert into " + table + " values (?";
    for (std::size_t i = 1; i < columns_.size(); ++i) text += ", ?";
    return text + ")";
  }

  std::vector<std::string> columns_;
  Statement statement_;
};

/// Returns an empty optional, which is bound as NULL, if the text is empty.
std::optional<std::string_view> null_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

template <typename Value>
void bind_value(Statement& statement, int parameter, const Value& value) {
  if constexpr (std::is_same_v<Value, std::monostate>)
    statement.bind(parameter, std::optional<double>());
  else
    statement.bind(parameter, value);
}

class Loader {
 public:
  Loader(sqlite3* database, const std::string& run_name)
      : database_(database), run_name_(run_name) {
    cell_key_ = largest_key("cell");
    launch_key_ = largest_key("launch");
  }

  void add(const Run& run) {
    insert_into("run").run(run_name_, run.edition, run.preset, run.source);
    for (std::size_t i = 0; i < run.sessions.size(); ++i) add(run.sessions[i], i);
    for (std::size_t i = 0; i < run.devices.size(); ++i) add(run.devices[i], i);
    for (const Cell& cell : run.cells) add(cell);
  }

 private:
  /// Returns the largest key in a table whose key has the table's name; 0 if the table is empty.
  std::int64_t largest_key(const std::string& table) {
    Statement query(database_, "select max(" + table + ") from " + table);
    query.step();
    return sqlite3_column_int64(query.get(), 0);
  }

  Insertion& prepared_insertion(const std::string& table) {
    const auto prepared = insertions_.find(table);
    if (prepared != insertions_.end()) return prepared->second;
    return insertions_.try_emplace(table, database_, table).first->second;
  }
  Statement& insert_into(const std::string& table) { return prepared_insertion(table).statement(); }

  void add(const Session& session, std::size_t i) {
    const Software& software = session.software;
    insert_into("session").run(run_name_, std::int64_t(i), session.started_at, session.revision,
                               session.dirty, session.host, session.cpu, session.cores,
                               software.driver, software.cuda, software.cublas, software.cupti,
                               software.libtorch, software.python, session.seed);
  }

  void add(const Device& device, std::size_t i) {
    insert_into("device").run(run_name_, std::int64_t(i), name(device.kind), device.name,
                              device.uuid_hash, device.memory_bytes, device.compute_capability,
                              device.multiprocessors, device.max_sm_clock_mhz,
                              device.max_memory_clock_mhz, device.power_limit_mw);
  }

  void add(const Cell& cell) {
    Statement& statement = insert_into("cell");
    statement.bind(1, ++cell_key_);
    statement.bind(2, run_name_);
    const std::vector<Scalar> values = cell_values(cell);
    for (std::size_t i = 0; i < values.size(); ++i) statement.bind(int(i) + 3, values[i]);
    statement.step_and_reset();
    const Launch* representative_launch = representative(cell);
    for (std::size_t i = 0; i < cell.launches.size(); ++i) {
      add(cell.launches[i], i, &cell.launches[i] == representative_launch);
    }
  }

  void add(const Launch& launch, std::size_t number, bool is_representative) {
    ++launch_key_;
    const bool ok = is_ok(launch.outcome);
    const std::string reason = ok ? "" : describe_briefly(launch.outcome);
    const auto* oom = std::get_if<OutOfMemory>(&launch.outcome);
    const OutOfMemory empty;
    const OutOfMemory& details = oom == nullptr ? empty : *oom;
    insert_into("launch").run(
        launch_key_, cell_key_, std::int64_t(number), run_name_, launch.session, launch.device,
        is_representative, status_name(launch.outcome), null_if_empty(reason),
        null_if_empty(details.phase), details.requested_bytes, details.in_use_bytes,
        details.reserved_bytes, details.peak_bytes, launch.wall_ns);
    for (const Metric& metric : launch.metrics) add(metric);
    for (const Metric& condition : launch.conditions) {
      insert_into("condition")
          .run(launch_key_, condition.tag, condition.name, condition.unit, condition.number(),
               text_of(condition), null_if_empty(condition.reason));
    }
    for (std::size_t i = 0; i < launch.warnings.size(); ++i) {
      insert_into("warning").run(launch_key_, std::int64_t(i), launch.warnings[i]);
    }
    for (const Table& table : launch.tables) add(table);
  }

  static std::optional<std::string> text_of(const Metric& metric) {
    const auto* scalar = std::get_if<Scalar>(&metric.data);
    const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
    return text == nullptr ? std::nullopt : std::optional(*text);
  }

  void add(const Metric& metric) {
    const std::vector<double> numbers = metric.numbers();
    const auto count = std::int64_t(metric.is_samples() ? numbers.size() : 0);
    insert_into("metric").run(launch_key_, metric.tag, metric.name, metric.unit, count,
                              metric.is_samples() ? std::nullopt : metric.number(), text_of(metric),
                              null_if_empty(metric.reason));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      insert_into("sample").run(launch_key_, metric.tag, metric.name, std::int64_t(i), numbers[i]);
    }
  }

  /// Leaves out tables and columns that this version does not know.
  void add(const Table& table) {
    if (find_table_shape(table.name) == nullptr) return;
    Insertion& insertion = prepared_insertion(table.name);
    std::vector<std::pair<int, std::size_t>> parameters;  // SQL parameter and index of its column
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const auto known = std::ranges::find(insertion.columns(), table.columns[column].name);
      if (known == insertion.columns().end()) continue;
      parameters.emplace_back(int(known - insertion.columns().begin()) + 1, column);
    }
    Statement& statement = insertion.statement();
    sqlite3_clear_bindings(statement.get());
    statement.bind(1, launch_key_);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      statement.bind(2, std::int64_t(i));
      for (const auto& [parameter, column] : parameters)
        statement.bind(parameter, table.rows[i][column]);
      statement.step_and_reset();
    }
  }

  sqlite3* database_;
  const std::string& run_name_;
  std::int64_t cell_key_ = 0;    ///< The key of the cell that was added last.
  std::int64_t launch_key_ = 0;  ///< The key of the launch that was added last.
  std::map<std::string, Insertion> insertions_;
};

}  // namespace

void load(sqlite3* database, const Run& run, const std::string& name) {
  execute(database, "begin");
  Loader(database, name).add(run);
  execute(database, "commit");
}

void load(sqlite3* database, const std::vector<FitRow>& rows) {
  execute(database, "begin");
  Insertion insertion(database, "fits");
  for (const FitRow& row : rows) {
    std::vector<SqlValue> values;  // They live until the step, which reads their texts.
    for (const FitColumn& column : fit_columns()) values.push_back(column.value(row));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::visit([&](const auto& known) { bind_value(insertion.statement(), int(i) + 1, known); },
                 values[i]);
    }
    insertion.statement().step_and_reset();
  }
  execute(database, "commit");
}

}  // namespace labreport
