// Tests measurements and tables as CSV: numbers are unrounded, and no text is a formula to a
// spreadsheet.
#include "writers/csv/cells_csv.h"

#include <gmock/gmock.h>

#include <map>

#include "base/text.h"
#include "results/cell_columns.h"
#include "results/metric_names.h"
#include "results/run_json_keys.h"
#include "results/shipped_runs.h"
#include "writers/csv/table_csv.h"
#include "writers/sample_fixture.h"

#include "plan/sample_cell.h"

namespace labreport::csv_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Pair;
using Row = std::vector<std::pair<std::string, std::string>>;

/// Returns head and field of each column; no field of these tests contains a comma.
Row row(const Run& run, std::size_t number) {
  const auto lines = split(cells_csv(run), '\n');
  const auto heads = split(lines.at(0), ',');
  const auto fields = split(lines.at(number + 1), ',');
  Row pairs;
  EXPECT_EQ(heads.size(), fields.size());
  for (std::size_t i = 0; i < heads.size(); ++i) pairs.emplace_back(heads[i], fields.at(i));
  return pairs;
}

CellSpec timing_cell() { return small_cell(Mode::kForwardBackward); }

Launch measured_launch() {
  Launch launch;
  launch.outcome = Ok{};
  launch.device = 0;
  launch.wall_ns = 1'500'000'000;
  launch.metrics = {sample_metric("step", "total", "ns", {900, 10'000'000, 12'000'000}),
                    integer_metric("memory", "parameters", "B", 4096)};
  launch.conditions = {integer_metric("clock", "sm", "MHz", 1980)};
  launch.warnings = {"one", "two"};
  return launch;
}

Run run_of(const std::vector<Launch>& launches) {
  Run run;
  run.devices.resize(1);
  run.devices[0].name = "NVIDIA H200";
  run.find_or_add(timing_cell()).launches = launches;
  return run;
}

TEST(CellsCsv, HasAColumnForEachNumberOfAnOutOfMemoryError) {
  Launch launch = measured_launch();
  launch.outcome = OutOfMemory{"forward", 1001, 1002, 1003, 4, 1005};
  const Row fields = row(run_of({launch}), 0);
  const Json outcome = launch.outcome;
  for (const auto& [key, value] : outcome.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    EXPECT_THAT(fields, Contains(Pair(testing::_, text))) << key;
  }
}

TEST(CellsCsv, DescribesACellAndItsOutcome) {
  EXPECT_THAT(row(run_of({measured_launch()}), 0),
              AllOf(Contains(Pair("kind", "timing")), Contains(Pair("size", "small")),
                    Contains(Pair("d_model", "768")), Contains(Pair("context", "512")),
                    Contains(Pair("precision", "fp32")), Contains(Pair("mode", "forward_backward")),
                    Contains(Pair("launch", "0")), Contains(Pair("hardware", "NVIDIA H200")),
                    Contains(Pair("outcome", "ok")), Contains(Pair("wall (s)", "1.5")),
                    Contains(Pair("warnings", "one; two"))));
}

TEST(CellsCsv, NamesTheGpuOfEachLaunch) {
  auto run = run_of({measured_launch(), measured_launch()});
  run.devices.push_back(run.devices.front());
  run.devices[0].uuid_hash = "0a1b2c3d00000000";
  run.devices[1].uuid_hash = "ffffffff00000000";
  run.cells.front().launches[1].device = 1;
  EXPECT_THAT(row(run, 0), Contains(Pair("hardware", "NVIDIA H200 (GPU 0a1b2c3d)")));
  EXPECT_THAT(row(run, 1), Contains(Pair("hardware", "NVIDIA H200 (GPU ffffffff)")));
}

TEST(CellsCsv, UsesBaseUnitsAndSkipsWarmupSteps) {
  EXPECT_THAT(
      row(run_of({measured_launch()}), 0),
      AllOf(Contains(Pair("step.total.count", "2")), Contains(Pair("step.total.mean (s)", "0.011")),
            Contains(Pair("step.total.min (s)", "0.01")),
            Contains(Pair("memory.parameters (B)", "4096")),
            Contains(Pair("clock.sm (Hz)", "1980000000"))));
}

TEST(CellsCsv, WritesDetailsOfFailures) {
  Launch oom;
  oom.outcome = OutOfMemory{"backward", 100, 200, 300};
  Launch crashed;
  crashed.outcome = Crashed{11, "=cmd"};
  const auto run = run_of({measured_launch(), oom, crashed});
  EXPECT_THAT(row(run, 1),
              AllOf(Contains(Pair("launch", "1")), Contains(Pair("outcome", "oom")),
                    Contains(Pair("phase", "backward")), Contains(Pair("requested (B)", "100")),
                    Contains(Pair("peak (B)", "300")), Contains(Pair("step.total.count", "")),
                    Contains(Pair("hardware", ""))));
  EXPECT_THAT(row(run, 2),
              AllOf(Contains(Pair("signal", "11")), Contains(Pair("message", "'=cmd"))));
}

TEST(CellsCsv, HasARowForACellThatNeverRan) {
  auto run = run_of({});
  CellSpec measured_cell = timing_cell();
  measured_cell.context = 1024;
  run.find_or_add(measured_cell).launches = {measured_launch()};
  EXPECT_THAT(row(run, 0),
              AllOf(Contains(Pair("context", "512")), Contains(Pair("outcome", "not measured")),
                    Contains(Pair("launch", "")), Contains(Pair("hardware", "")),
                    Contains(Pair("wall (s)", "")), Contains(Pair("step.total.count", ""))));
  EXPECT_THAT(row(run, 1), Contains(Pair("outcome", "ok")));
}

TEST(CellsCsv, WritesTheLastValueOfARunningSum) {
  Launch launch = measured_launch();
  launch.metrics = {{"running", "fp32+=fp32", "1", std::vector<double>{0.01, 0.02}, ""}};
  EXPECT_THAT(row(run_of({launch}), 0), Contains(Pair("running.fp32+=fp32.last", "0.02")));
}

TEST(CellsCsv, NamesTheImplementationOfACell) {
  CellSpec users_cell = timing_cell();
  users_cell.implementation = "Net-0a1b2c3d";
  labreport::Run run = run_of({measured_launch()});
  run.find_or_add(users_cell).launches = {measured_launch()};
  EXPECT_THAT(row(run, 0), Contains(Pair("implementation", "")));
  EXPECT_THAT(row(run, 1), Contains(Pair("implementation", "Net-0a1b2c3d")));
}

/// Returns the fields of a line's first `count` columns, less the first one.
std::string fields_after_the_first(const std::string& line, std::size_t count) {
  bool is_quoted = false;
  std::size_t begin = 0, commas = 0, end = 0;
  for (; commas < count; ++end) {
    if (line.at(end) == '"') is_quoted = !is_quoted;
    if (line[end] != ',' || is_quoted) continue;
    if (++commas == 1) begin = end;
  }
  return line.substr(begin, end - begin);
}

TEST(CellsCsv, KeepsTheCellsOfEveryRecordedRunApart) {
  const auto folders = testing_shipped::shipped_runs();
  if (folders.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const auto& folder : folders) {
    std::map<std::string, std::string> ids;  // by the parameters
    for (const std::string& line : split(trimmed(cells_csv(RunStore(folder).load())), '\n')) {
      const std::string id = line.substr(0, line.find(','));
      const auto same = ids.emplace(fields_after_the_first(line, cell_columns().size()), id).first;
      EXPECT_EQ(same->second, id) << folder;
    }
  }
}

TEST(TableCsv, WritesUnroundedNumbersAndUnits) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"forward", "ms"},
                   {"variation", "%"},
                   {"peak", "GiB", Align::kRight, false, {Notation::kGibibytes}}};
  table.rows = {
      {{"small", {10.61987, 0.0223}, 0.0021, 1.5 * kBytesPerGibibyte}, {"outlier", "shared GPU"}},
      {{"m", 34.13, {}, {}}},
      {.cells = {"xl"}, .missing_reason = "out of memory: asked 2.0 GiB, no"}};
  EXPECT_EQ(table_csv(table),
            "size,forward (ms),forward deviation (ms),variation (%),peak (GiB),note\n"
            "small,10.61987,0.0223,0.21,1.5,outlier; shared GPU\n"
            "m,34.13,,,,\n"
            "xl,,,,,\"out of memory: asked 2.0 GiB, no\"\n");
}

TEST(TableCsv, EscapesFormulasAndOmitsDashes) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"a", ""}, {"b", ""}, {"c", ""}, {"=d", ""}};
  table.rows = {{{1234.5, {}, "–", "=1+1"}}};
  EXPECT_EQ(table_csv(table), "a,b,c,'=d,note\n1234.5,,,'=1+1,\n");
}

std::vector<std::string> table_names(const Document& document) {
  std::vector<std::string> names;
  for (const NamedTable& table : named_tables(document)) names.push_back(table.name);
  return names;
}

TEST(NamedTables, AreNamedAfterPartAndSlug) {
  EXPECT_THAT(
      table_names(sample_document()),
      ElementsAre("benchmarking_script.b", "benchmarking_script.b.figure-durations",
                  "benchmarking_script.b.commands", "benchmarking_script.c.figure-steps-forward",
                  "benchmarking_script.c.figure-steps-train-step", "ran", "environment"));
}

TEST(NamedTables, HaveDistinctNamesInAPart) {
  Document document = sample_document();
  Part& part = document.sections[0].parts[0];
  part.letter = "";
  part.figures.clear();
  part.details = {};
  part.tables.push_back(part.tables[0]);
  document.sections[0].parts.resize(1);
  EXPECT_THAT(table_names(document),
              ElementsAre("benchmarking_script.durations", "benchmarking_script.durations-2", "ran",
                          "environment"));
}

}  // namespace
}  // namespace labreport::csv_test
