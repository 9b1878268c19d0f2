// What the schema cannot say of a run is checked too: whatever is loaded can be rendered.
#include <gmock/gmock.h>

#include "results/broken_run.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_samples::complaint;
using testing_samples::sample_launch;
using testing_samples::sample_run;

/// The sample with one JSON merge patch at a pointer.
std::string with(const std::string& pointer, const json& value) {
  return complaint(testing_samples::changed(pointer, value));
}

const std::string kLaunch = "/cells/0/launches/0";

TEST(RunCheck, ACellIsThereOnce) {
  json run = json::parse(to_json(sample_run()));
  run["cells"].push_back(run["cells"][0]);
  EXPECT_THAT(complaint(run.dump()), HasSubstr("run.json: cells[2].id: '"));
}

TEST(RunCheck, MetricsTablesAndColumnsHaveNamesOfTheirOwn) {
  const json metric{{"tag", "step"}, {"name", "total"}, {"unit", "ns"}, {"value", 1}};
  EXPECT_THAT(with(kLaunch + "/metrics/-", metric),
              HasSubstr("launches[0].metrics[5]: 'step.total' stands there twice"));
  const json table{{"name", "sizes"}, {"columns", json::array()}, {"rows", json::array()}};
  EXPECT_THAT(with(kLaunch + "/tables/-", table),
              HasSubstr("launches[0].tables[1]: 'sizes' stands there twice"));
  EXPECT_THAT(with(kLaunch + "/tables/0/columns/1/name", "name"),
              HasSubstr("tables[0].columns[1]: 'name' stands there twice"));
}

TEST(RunCheck, UnitsAreKnownAndATagHasItsOwn) {
  EXPECT_THAT(with(kLaunch + "/metrics/0/unit", "furlong"),
              HasSubstr("cells[0].launches[0].metrics[0].unit: expected 'ns', found 'furlong'"));
  EXPECT_THAT(with(kLaunch + "/metrics/4/unit", "furlong"),
              HasSubstr("metrics[4].unit: unknown unit 'furlong'"));
  EXPECT_THAT(with(kLaunch + "/tables/0/columns/1/unit", "furlong"),
              HasSubstr("tables[0].columns[1].unit: unknown unit 'furlong'"));
  EXPECT_THAT(with(kLaunch + "/metrics/1/value", "many"),
              HasSubstr("metrics[1].value: expected a number"));
}

TEST(RunCheck, ANewerVersionMayHaveUnitsOfItsOwn) {
  json run = json::parse(to_json(sample_run()));
  run["schema_version"] = "1.99.0";
  run["cells"][0]["launches"][0]["metrics"][4]["unit"] = "furlong";
  EXPECT_EQ(complaint(run.dump()), "");
}

TEST(RunCheck, NoTimeAndNoNumberOfBytesIsNegativeAndAStepTakesTime) {
  EXPECT_THAT(with(kLaunch + "/metrics/0/samples", {30, -10, 11}),
              HasSubstr("metrics[0]: expected a step's time above 0, found -10"));
  EXPECT_THAT(with(kLaunch + "/metrics/0/samples", {30, 0, 11}),
              HasSubstr("metrics[0]: expected a step's time above 0, found 0"));
  EXPECT_THAT(with(kLaunch + "/metrics/1/value", -1),
              HasSubstr("metrics[1]: expected B and no negative number, found -1"));
  EXPECT_THAT(with(kLaunch + "/tables/0/rows/0/1", -1),
              HasSubstr("tables[0].rows[0][1]: expected B and no negative number, found -1"));
  EXPECT_EQ(with(kLaunch + "/conditions/0/value", -40), "") << "it may be cold";
}

TEST(RunCheck, NumbersOfALaunchHaveASumWithin64Bits) {
  json rows = json::array();
  for (int i = 0; i < 401; ++i) rows.push_back({"a", 10'000'000'000'000'000});
  EXPECT_THAT(with(kLaunch + "/tables/0/rows", rows),
              HasSubstr("tables[0].rows[399][1]: the numbers of its launch add up to more"));
}

TEST(RunCheck, AColumnHoldsOneType) {
  EXPECT_THAT(with(kLaunch + "/tables/0/rows", json::parse(R"([["a", 1], ["b", "two"]])")),
              HasSubstr("tables[0].rows[1][1]: the column 'bytes' holds numbers"));
  EXPECT_EQ(with(kLaunch + "/tables/0/rows", json::parse(R"([["a", 1], ["b", null]])")), "");
}

TEST(RunCheck, KnownTablesHaveTheColumnsThatReadersLookFor) {
  EXPECT_THAT(with(kLaunch + "/tables/0/name", "kernel_names"),
              HasSubstr("tables[0].columns: the column 'id' is missing"));
  const json table{{"name", "kernel_names"},
                   {"columns", {{{"name", "id"}, {"unit", ""}}, {{"name", "name"}, {"unit", ""}}}},
                   {"rows", json::parse(R"([["one", "gemm"]])")}};
  EXPECT_THAT(with(kLaunch + "/tables/0", table),
              HasSubstr("tables[0].rows[0][0]: the column 'id' holds numbers"));
}

TEST(RunCheck, ATracedKernelHasARowInTheTableOfKernels) {
  Launch launch = sample_launch(Ok{});
  Table kernels = shape::kernels(), trace = shape::gpu_trace();
  kernels.rows = {std::vector<Scalar>(5, Scalar(std::string("aten::mm")))};
  kernels.rows[0].resize(kernels.columns.size(), Scalar(std::int64_t{1}));
  trace.rows = {{std::int64_t{0}, std::int64_t{20}, std::int64_t{0}, Scalar()},
                {std::int64_t{25}, std::int64_t{9}, std::int64_t{0}, std::int64_t{3}}};
  launch.tables = {kernels, trace};
  labreport::Run run = sample_run();
  run.cells[0].launches = {launch};
  const std::string traced = to_json(run);
  EXPECT_EQ(complaint(traced), "");
  json document = json::parse(traced);
  json& row = document["cells"][0]["launches"][0]["tables"][1]["rows"][1][2];
  for (const json& wrong : {json(1), json(-1), json(0.5), json(nullptr)}) {
    row = wrong;
    EXPECT_THAT(complaint(document.dump()),
                HasSubstr("tables[1].rows[1][2]: no row of the table 'kernels', which has 1"));
  }
}

TEST(RunCheck, AStepMayHaveMoreKernelsThanOtherTablesRows) {
  json table{{"name", "gpu_trace"}, {"columns", json::array()}};
  for (const char* name : {"after_ns", "duration_ns", "row", "block"}) {
    table["columns"].push_back({{"name", name}, {"unit", ""}});
  }
  const json row = json::array({1, 1, 0, nullptr});
  table["rows"] = std::vector<json>(40'000, row);
  EXPECT_THAT(with(kLaunch + "/tables/-", table), HasSubstr("rows[0][2]: no row of the table"));
  table["rows"].push_back(row);
  EXPECT_THAT(with(kLaunch + "/tables/-", table),
              HasSubstr("tables[1].rows: a list of 40001 items, and 40000 are the most"));
}

TEST(RunCheck, ACellHasTheParametersOfItsKind) {
  labreport::Run run = sample_run();
  CellSpec spec = run.cells[0].spec;
  spec.mode.reset();
  run.find_or_add(spec);
  EXPECT_THAT(complaint(to_json(run)),
              HasSubstr("cells[2].params: the key 'mode' is missing, which every timing cell has"));
}

TEST(RunCheck, SessionsBeganInYearsThatClocksShow) {
  for (const char* time : {"9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z",
                           "2026-01-01T24:00:00Z"}) {
    EXPECT_THAT(with("/sessions/0/started_at", time),
                HasSubstr("sessions[0].started_at: expected a time from 1970 to 2199"));
  }
  EXPECT_EQ(with("/sessions/0/started_at", "1970-01-01T00:00:07Z"), "") << "nobody set the clock";
}

TEST(RunCheck, AMeasuredRunHasAPreset) {
  EXPECT_THAT(with("/preset", "none"), HasSubstr("run.json: preset: 'none' is for imported runs"));
}

TEST(RunCheck, NamesHoldNoControlCharacters) {
  EXPECT_THAT(with("/cells/0/params/size", "a\x1b[31m"),
              HasSubstr("cells[0].params.size: a name with a control character in it"));
  EXPECT_THAT(with(kLaunch + "/metrics/3/name", std::string("a\0b", 3)),
              HasSubstr("metrics[3]: a name with a control character"));
  EXPECT_THAT(with(kLaunch + "/tables/0/columns/0/name", "a\nb"),
              HasSubstr("tables[0].columns[0]: a name with a control character"));
}

TEST(RunCheck, TextsAndListsAreBounded) {
  EXPECT_THAT(with("/cells/0/params/size", std::string(201, 'w')),
              HasSubstr("cells[0].params.size: a text of 201 bytes, and 200 are the most"));
  EXPECT_THAT(with("/sessions/0/cpu", std::string(20'000, 'w')),
              HasSubstr("sessions[0].cpu: a text of 20000 bytes, and 16384 are the most"));
  EXPECT_THAT(with(kLaunch + "/warnings", json(std::vector<std::string>(10'001))),
              HasSubstr("warnings: a list of 10001 items, and 10000 are the most"));
  EXPECT_THAT(
      with(kLaunch + "/tables/0/rows", json(std::vector<json>(5'001, json::array({"a", 1})))),
      HasSubstr("tables[0].rows: a list of 5001 items, and 5000 are the most"));
  EXPECT_THAT(with("/cells", json(std::vector<int>(4'001))),
              HasSubstr("cells: a list of 4001 items, and 4000 are the most"));
}

TEST(RunCheck, MetricsOfARunHaveFewNames) {
  labreport::Run run = sample_run();
  for (int i = 0; i < 501; ++i) {
    run.cells[0].launches[0].metrics.push_back(integer_metric("x", std::to_string(i), "1", i));
  }
  EXPECT_THAT(complaint(to_json(run)), HasSubstr("launches[0]: metrics of more than 500 names"));
}

}  // namespace
}  // namespace labreport
