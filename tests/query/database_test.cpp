// Tests the tables of a run, the limits of queries, and the messages of queries that fail.
#include "query/database.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "plan/sample_cell.h"
#include "query/fit_table.h"
#include "results/cell_columns.h"
#include "results/metric_names.h"
#include "results/shipped_runs.h"
#include "results/table_shapes.h"

namespace labreport::database_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Row = std::vector<SqlValue>;

/// Returns a run with one timing, whose first launch ran out of memory.
Run timed_run() {
  Run run;
  run.edition = "2025";
  run.sessions.resize(1);
  run.devices.resize(1);
  Cell& cell = run.find_or_add(small_cell(Mode::kForward));
  cell.launches.resize(2);
  cell.launches[0].outcome = OutOfMemory{"forward", 4096, {}, {}};
  cell.launches[1].metrics = {
      sample_metric(metric::kStep, metric::kTotal, "ns", {9'000'000, 1'000'000, 3'000'000}),
      integer_metric(metric::kMemory, metric::kParameters, "B", 512),
      absent_metric(metric::kMemory, metric::kPeakAllocated, "B", "a CPU has no allocator")};
  cell.launches[1].conditions = {
      text_metric(metric::kCollectives, metric::kLibrary, "NCCL 2.28.9")};
  return run;
}

Database timed_database() {
  Database database;
  database.add(timed_run(), "one");
  return database;
}

std::vector<Row> rows(const std::string& query) { return timed_database().select(query).rows; }

std::string refusal(const std::string& query, const QueryLimits& limits = {}) {
  try {
    timed_database().select(query, limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Tables, HoldParametersOrNull) {
  EXPECT_THAT(
      rows("select size, d_model, context, precision, mode, implementation, ranks from cell"),
      ElementsAre(Row{"small", 768, 512, "fp32", "forward", {}, {}}));
}

TEST(Tables, HoldTheLengthsOfAnAttentionAsJson) {
  auto run = timed_run();
  CellSpec spec;
  spec.kind = CellKind::kAttention;
  spec.attention =
      AttentionSweep{AttentionMethod::kDoBench, AttentionBackend::kFlash, 64, 16, {128, 256}};
  run.find_or_add(spec);
  Database database;
  database.add(run, "one");
  EXPECT_THAT(
      database.select("select backend, heads, value from cell, json_each(lengths) order by value")
          .rows,
      ElementsAre(Row{"flash", 16, 128}, Row{"flash", 16, 256}));
}

TEST(Tables, NameTheRepresentativeLaunchAndTheReasonOfAFailure) {
  EXPECT_THAT(
      rows("select number, represents, status, why, oom_phase, oom_requested_bytes from launch"),
      ElementsAre(Row{0, 0, "oom", "out of memory in forward", "forward", 4096.0},
                  Row{1, 1, "ok", {}, {}, {}}));
  EXPECT_THAT(rows("select size, status from measured"), ElementsAre(Row{"small", "ok"}));
}

TEST(Tables, HoldEachNumberOfAnOutOfMemoryError) {
  labreport::Run run = timed_run();
  run.cells.front().launches.front().outcome = OutOfMemory{"forward", 1, 2, 3, 4, 5};
  Database database;
  database.add(run, "one");
  EXPECT_THAT(database
                  .select("select oom_requested_bytes, oom_in_use_bytes, oom_peak_bytes, "
                          "oom_reserved_bytes from launch where status = 'oom'")
                  .rows,
              ElementsAre(Row{1.0, 2.0, 3.0, 5.0}));
}

TEST(Tables, HoldEveryNumberAsASample) {
  EXPECT_THAT(
      rows("select name, samples, value, reason from metric order by name"),
      ElementsAre(Row{"parameters", 0, 512.0, {}},
                  Row{"peak_allocated", 0, {}, "a CPU has no allocator"}, Row{"total", 3, {}, {}}));
  EXPECT_THAT(
      rows("select i, value from sample where name in ('total', 'parameters') order by tag, i"),
      ElementsAre(Row{0, 512.0}, Row{0, 9e6}, Row{1, 1e6}, Row{2, 3e6}));
  EXPECT_THAT(rows("select text from condition"), ElementsAre(Row{"NCCL 2.28.9"}));
}

TEST(Tables, LeaveWarmUpStepsOutOfStepMs) {
  EXPECT_THAT(rows("select i, ms from step_ms"), ElementsAre(Row{1, 1.0}, Row{2, 3.0}));
}

TEST(Tables, HaveAColumnForEachColumnThatWorkersWrite) {
  Database empty;
  for (const TableShape& table : table_shapes()) {
    std::string columns;
    for (const ColumnShape& column : table.columns) columns += ", \"" + column.name + '"';
    EXPECT_TRUE(empty.select("select launch, i" + columns + " from " + std::string(table.name))
                    .rows.empty());
  }
}

TEST(Tables, NumberRowsAndJoinKernelsWithTheirNames) {
  auto run = timed_run();
  Table names = empty_table(metric::kKernelNames), kernels = empty_table(metric::kKernels);
  names.rows = {{std::int64_t{7}, "softmax"}};
  kernels.rows = {{"forward", "layers/attn", "aten::softmax", "aten::_softmax", "reduction",
                   std::int64_t{7}, std::int64_t{2}, std::int64_t{90}, std::int64_t{40},
                   std::int64_t{45}, std::int64_t{50}, 5.0}};
  run.cells[0].launches[1].tables = {names, kernels};
  Database database;
  database.add(run, "one");
  EXPECT_THAT(database.select("select i, name, total_ns, instances from kernel").rows,
              ElementsAre(Row{0, "softmax", 90.0, 2.0}));
}

TEST(Tables, LeaveOutUnknownTables) {
  auto run = timed_run();
  run.cells[0].launches[1].tables = {{"cell", {{"cell", ""}}, {{std::int64_t{1}}}}};
  Database database;
  database.add(run, "one");
  EXPECT_EQ(database.select("select * from cell").rows.size(), 1u);
}

TEST(Tables, HoldSeveralRuns) {
  Database database = timed_database();
  database.add(timed_run(), "two");
  EXPECT_THAT(
      database.select("select run, size, ms from measured join step_ms using (launch) where i = 1")
          .rows,
      ElementsAre(Row{"one", "small", 1.0}, Row{"two", "small", 1.0}));
}

TEST(Functions, ComputeTheReportsStatistics) {
  EXPECT_THAT(
      rows("select mean(ms), median(ms), stddev(ms), sum_of(ms), quantile(ms, 0.25) from step_ms"),
      ElementsAre(Row{2.0, 2.0, std::sqrt(2.0), 4.0, 1.5}));
  EXPECT_THAT(rows("select parameters(d_model, d_ff, layers, vocab), forward_flops(d_model, d_ff, "
                   "layers, vocab, 1, 1)"
                   " from cell"),
              ElementsAre(Row{128625408.0, 241'889'280.0}));
}

TEST(Functions, ReturnNullWithoutValues) {
  EXPECT_THAT(
      rows("select mean(null), median(value), stddev(1), sum_of(value) from sample where false"),
      ElementsAre(Row{{}, {}, {}, {}}));
  EXPECT_THAT(
      rows("select stddev(1), quantile(1, 2), parameters(1, 2, 3, null), parameters(-1, 2, 3, 4)"),
      ElementsAre(Row{{}, {}, {}, {}}));
}

TEST(Fits, HasTheRowsThatTheVerbPrints) {
  FitRow measured{.step = small_cell(Mode::kTrainStep),
                  .gpu = "NVIDIA H100 80GB HBM3, whose name is long",
                  .gpu_bytes = 85'000'000'000,
                  .peak_bytes = 5'000'000'000,
                  .phase = "backward",
                  .fits = true,
                  .basis = "measured",
                  .measured_bytes = 5.1e9,
                  .peaks = 20,
                  .error = -0.006,
                  .evidence_gpu = "NVIDIA H100 80GB HBM3",
                  .evidence_run = "site/runs/nvidia-h100-80gb-hbm3/2025/20261123-114046-40967e13"};
  measured.step.blocks_per_checkpoint = 2;
  FitRow unchecked{.step = small_cell(Mode::kInference), .gpu = "NVIDIA T4", .basis = "unchecked"};
  unchecked.step.ranks = Ranks{4};
  const std::vector<FitRow> fit_rows{measured, unchecked};
  Database database;
  database.add(fit_rows);
  const QueryResult table = database.select("select * from fits");
  EXPECT_EQ(table.columns, fit_table(fit_rows).columns);
  EXPECT_EQ(table.rows, fit_table(fit_rows).rows);
  EXPECT_EQ(database.select("select gpu, ranks, error is null from fits where not fits").rows,
            (std::vector<Row>{{"NVIDIA T4", std::int64_t{4}, std::int64_t{1}}}));
}

TEST(Refusals, NameThePlaceAndTheNearestName) {
  EXPECT_EQ(refusal("select size,\n  precison from cell"),
            "line 2, column 3: unknown column 'precison'; the nearest are precision, revision and "
            "reason; `precision` is a column of measured, cell, dtypes and fits");
  EXPECT_EQ(
      refusal("select size, ms from step_ms"),
      "line 1, column 8: unknown column 'size'; `size` is a column of measured, cell and fits; "
      "name or join one of them");
  EXPECT_THAT(refusal("select m.ms from measured m"),
              HasSubstr("unknown column 'm.ms'; `ms` is a column of step_ms"));
  EXPECT_THAT(refusal("select * from cells"),
              StartsWith("line 1, column 15: unknown table 'cells'; the nearest are cell"));
  EXPECT_THAT(refusal("select means(1)"),
              HasSubstr("unknown function 'means'; the nearest are mean"));
  EXPECT_THAT(refusal("selct 1"), StartsWith("line 1, column 1: near \"selct\": syntax error"));
  EXPECT_THAT(refusal("select 1; select 2"),
              StartsWith("line 1, column 11: a second statement begins"));
  EXPECT_THAT(refusal("-- nothing"), StartsWith("the query is empty"));
}

TEST(Refusals, LetAQueryOnlyRead) {
  const fs::path file = fs::temp_directory_path() / "labreport-attached.db";
  for (const std::string& statement : std::vector<std::string>{
           "delete from cell", "create table t (x)", "drop table cell", "pragma journal_mode = off",
           "begin", "attach '" + file.string() + "' as other",
           "vacuum into '" + file.string() + "'"}) {
    EXPECT_THAT(refusal(statement), StartsWith("a query can only read")) << statement;
  }
  EXPECT_NE(refusal("select load_extension('x')"), "");
  EXPECT_FALSE(fs::exists(file));
}

TEST(Refusals, StopQueriesThatExceedALimit) {
  const std::string endless_query =
      "with recursive t(x) as (values (1) union all select x + 1 from t) select ";
  EXPECT_THAT(refusal(endless_query + "count(*) from t", {.seconds = 0.05}),
              StartsWith("the query was ended after 0.05 s"));
  EXPECT_THAT(refusal(endless_query + "x from t", {.rows = 10}),
              StartsWith("the query has more than 10 rows"));
  EXPECT_THAT(refusal("select hex(zeroblob(100000000))"), HasSubstr("more memory"));
  EXPECT_THAT(refusal(endless_query + "count(distinct hex(x) || hex(zeroblob(10000))) from t",
                      {.bytes = 50 << 20}),
              HasSubstr("more memory"));
  EXPECT_THAT(refusal(endless_query + "hex(zeroblob(100000)) from t"), HasSubstr("more memory"));
}

TEST(Saving, KeepsTablesAndViewsForOtherPrograms) {
  const fs::path file =
      fs::temp_directory_path() / ("labreport-saved-" + std::to_string(getpid()) + ".db");
  timed_database().save(file);
  EXPECT_THROW(timed_database().save(file), InputError) << "it is there";
  sqlite3* saved = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &saved), SQLITE_OK);
  double ms = 0;
  sqlite3_exec(
      saved, "select sum(ms) from step_ms",
      [](void* sum, int, char** values, char**) {
        return *static_cast<double*>(sum) = std::stod(values[0]), 0;
      },
      &ms, nullptr);
  sqlite3_close(saved);
  fs::remove(file);
  EXPECT_EQ(ms, 4.0);
}

TEST(Saving, WritesAFileOfAnyName) {
  const fs::path folder =
      fs::temp_directory_path() / ("labreport-saved-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  for (const char* name : {":memory:", "file:x.db", "file:y?mode=memory"}) {
    timed_database().save(name);
    EXPECT_GT(fs::file_size(folder / name), 1000u) << name;
  }
  fs::create_symlink("elsewhere.db", "link.db");
  EXPECT_THROW(timed_database().save("link.db"), InputError) << "its target would be written";
  EXPECT_FALSE(fs::exists("elsewhere.db"));
  EXPECT_THROW(timed_database().save("absent/x.db"), InputError);
  fs::current_path(before);
  fs::remove_all(folder);
}

/// Returns the names of the columns that say what a cell is, without those that count or name it.
std::string parameter_columns() {
  std::string names = "kind";
  for (const CellColumn& column : cell_columns()) {
    if (column.name != "id" && column.name != "kind") names += ", " + column.name;
  }
  return names;
}

TEST(Loading, KeepsTheCellsOfEveryRecordedRunApart) {
  const std::vector<fs::path> folders = testing_shipped::shipped_runs();
  if (folders.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const fs::path& folder : folders) {
    const auto run = RunStore(folder).load();
    Database database;
    database.add(run, "it");
    EXPECT_EQ(database.select("select distinct " + parameter_columns() + " from cell").rows.size(),
              run.cells.size())
        << folder;
  }
}

}  // namespace
}  // namespace labreport::database_test
