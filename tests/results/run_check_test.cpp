// Tests that a run that breaks a rule is refused with the path of the value.
#include <gmock/gmock.h>

#include <map>

#include "results/broken_run.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::run_check_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_samples::refusal;
using testing_samples::sample_launch;
using testing_samples::sample_run;

/// Returns the message about the sample run with another value at a JSON pointer.
std::string refusal_with(const std::string& pointer, const json& value) {
  return refusal(testing_samples::sample_with(pointer, value));
}

const std::string kLaunch = "/cells/0/launches/0";

TEST(RunCheck, RefusesARepeatedCell) {
  json run = json::parse(to_json(sample_run()));
  run["cells"].push_back(run["cells"][0]);
  EXPECT_THAT(refusal(run.dump()), HasSubstr("run.json: cells[2].id: '"));
}

TEST(RunCheck, RefusesRepeatedNames) {
  const json metric{{"tag", "step"}, {"name", "total"}, {"unit", "ns"}, {"value", 1}};
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/-", metric),
              HasSubstr("launches[0].metrics[5]: 'step.total' stands there twice"));
  const json table{{"name", "sizes"}, {"columns", json::array()}, {"rows", json::array()}};
  EXPECT_THAT(refusal_with(kLaunch + "/tables/-", table),
              HasSubstr("launches[0].tables[1]: 'sizes' stands there twice"));
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/columns/1/name", "name"),
              HasSubstr("tables[0].columns[1]: 'name' stands there twice"));
}

TEST(RunCheck, RefusesUnknownAndWrongUnits) {
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/0/unit", "furlong"),
              HasSubstr("cells[0].launches[0].metrics[0].unit: expected 'ns', found 'furlong'"));
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/4/unit", "furlong"),
              HasSubstr("metrics[4].unit: unknown unit 'furlong'"));
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/columns/1/unit", "furlong"),
              HasSubstr("tables[0].columns[1].unit: unknown unit 'furlong'"));
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/1/value", "many"),
              HasSubstr("metrics[1].value: expected a number"));
}

TEST(RunCheck, AcceptsUnknownUnitsOfANewerVersion) {
  json run = json::parse(to_json(sample_run()));
  run["schema_version"] = "2.99.0";
  run["cells"][0]["launches"][0]["metrics"][4]["unit"] = "furlong";
  EXPECT_EQ(refusal(run.dump()), "");
}

TEST(RunCheck, RefusesNegativeValuesAndStepsWithoutTime) {
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/0/samples", {30, -10, 11}),
              HasSubstr("metrics[0]: expected at least 1, found -10"));
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/0/samples", {30, 0, 11}),
              HasSubstr("metrics[0]: expected at least 1, found 0"));
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/1/value", -1),
              HasSubstr("metrics[1]: expected 0 or at least 1, found -1"));
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/rows/0/1", -1),
              HasSubstr("tables[0].rows[0][1]: expected 0 or at least 1, found -1"));
  EXPECT_EQ(refusal_with(kLaunch + "/conditions/0/value", -40), "") << "it may be cold";
}

/// Returns the message about the sample run with a launch that has only these metrics.
std::string refusal_with_metrics(const std::vector<Metric>& metrics) {
  labreport::Run run = sample_run();
  run.cells[0].launches[0].metrics = metrics;
  return refusal(to_json(run));
}

TEST(RunCheck, RefusesZeroForPositiveMetrics) {
  EXPECT_THAT(refusal_with_metrics({real_metric("copy", "bandwidth", "B/s", 1e-9)}),
              HasSubstr("launches[0].metrics[0]: expected at least 1, found 1e-09"));
  for (const Metric& metric : {integer_metric("memory", "peak_allocated", "B", 0),
                               integer_metric("history", "peak_requested", "B", 0),
                               integer_metric("peak", "optimizer", "B", 0),
                               sample_metric("event", "forward", "ns", {5, 0}),
                               sample_metric("synced", "backward", "ns", {0}),
                               sample_metric("all_reduce", "1024.0", "ns", {0}),
                               integer_metric("published", "forward", "ns", 0),
                               real_metric("matrix_rate", "bf16", "flop/s", 0)}) {
    EXPECT_THAT(refusal_with_metrics({metric}),
                HasSubstr("metrics[0]: expected at least 1, found 0"))
        << metric.tag;
  }
  EXPECT_THAT(refusal_with_metrics({real_metric("busy", "forward", "ns", 0.25)}),
              HasSubstr("metrics[0]: expected 0 or at least 1, found 0.25"));
  EXPECT_THAT(refusal_with_metrics({integer_metric("history", "lost", "1", -1)}),
              HasSubstr("metrics[0]: expected no negative number, found -1"));
  EXPECT_EQ(refusal_with_metrics({integer_metric("category", "gradients", "B", 0),
                                  real_metric("losses", "total", "1", -0.5),
                                  real_metric("published_stddev", "total", "ns", 0.5)}),
            "");
}

TEST(RunCheck, RefusesAPartThatExceedsItsWhole) {
  const auto bytes = [](const char* tag, const char* name, std::int64_t value) {
    return integer_metric(tag, name, "B", value);
  };
  EXPECT_THAT(refusal_with_metrics(
                  {bytes("memory", "peak_reserved", 9), bytes("memory", "peak_allocated", 10)}),
              HasSubstr("metrics[1]: expected at most 9, as 'memory.peak_reserved' is, found 10"));
  EXPECT_THAT(refusal_with_metrics({sample_metric("step", "total", "ns", {7, 7}),
                                    sample_metric("step", "enqueue", "ns", {7, 8})}),
              HasSubstr("metrics[1]: expected at most 7, as 'step.total' is, found 8"));
  EXPECT_THAT(refusal_with_metrics({bytes("peak", "loss", 5), bytes("resident", "allocated", 6)}),
              HasSubstr("metrics[1]: expected at most 5, as 'peak.loss' is, found 6"));
  EXPECT_THAT(refusal_with_metrics({bytes("memory", "peak_requested", 5),
                                    bytes("category", "data", 5), bytes("category", "unknown", 1)}),
              HasSubstr("metrics[2]: with the categories before it more than the requested peak"));
}

TEST(RunCheck, RefusesImpossibleRowsOfKnownTables) {
  const auto refusal_with_row = [](Table table, const std::map<std::string, Scalar>& values) {
    table.rows.emplace_back();
    for (const TableColumn& column : table.columns) {
      const auto found = values.find(column.name);
      table.rows[0].push_back(found == values.end() ? Scalar() : found->second);
    }
    labreport::Run run = sample_run();
    run.cells[0].launches[0].tables = {table};
    return refusal(to_json(run));
  };
  const auto integer = [](std::int64_t value) { return Scalar(value); };
  EXPECT_THAT(refusal_with_row(empty_table(metric::kAllReduce), {{"mean_ns", integer(0)}}),
              HasSubstr("tables[0].rows[0][4]: expected at least 1, found 0"));
  EXPECT_THAT(refusal_with_row(empty_table(metric::kAllReduce), {{"wrong", integer(-1)}}),
              HasSubstr("tables[0].rows[0][10]: expected no negative number, found -1"));
  EXPECT_THAT(refusal_with_row(empty_table(metric::kRankSteps),
                               {{"both_ns", integer(2)}, {"communication_ns", integer(1)}}),
              HasSubstr("expected at most 1, as 'communication_ns' is, found 2"));
  EXPECT_THAT(refusal_with_row(empty_table(metric::kAttention),
                               {{"forward_min_ns", integer(9)}, {"forward_median_ns", integer(8)}}),
              HasSubstr("expected at most 8, as 'forward_median_ns' is, found 9"));
  EXPECT_THAT(refusal_with_row(empty_table(metric::kKernels),
                               {{"kernel", integer(0)}, {"instances", integer(0)}}),
              HasSubstr("tables[0].rows[0][6]: expected at least 1, found 0"));
  EXPECT_THAT(refusal_with_row(empty_table(metric::kKernels), {}),
              HasSubstr("tables[0].rows[0][5]: a kernel that ran has this number"));
  EXPECT_EQ(refusal_with_row(empty_table(metric::kAttention),
                             {{"outcome", std::string("out of memory")}}),
            "");
}

TEST(RunCheck, RefusesACellWithoutAParameterOfItsKind) {
  const auto refusal_of = [](CellKind kind, const auto& change) {
    CellSpec spec = testing_samples::sample_spec(Mode::kTrainStep);
    spec.kind = kind;
    change(spec);
    labreport::Run run = sample_run();
    run.cells.clear();
    run.find_or_add(spec);
    return refusal(to_json(run));
  };
  const auto with_ranks = [](CellSpec& spec) { spec.ranks = Ranks{2, Collectives::kGloo}; };
  EXPECT_THAT(refusal_of(CellKind::kTiming, [](CellSpec& spec) { spec.model.reset(); }),
              HasSubstr("cells[0].params: the key 'd_model' is missing, which every timing cell"));
  EXPECT_THAT(refusal_of(CellKind::kMemory, [](CellSpec& spec) { spec.mode.reset(); }),
              HasSubstr("the key 'mode' is missing, which every memory cell has"));
  EXPECT_THAT(refusal_of(CellKind::kAttention, [](CellSpec&) {}), HasSubstr("the key 'method' is"));
  EXPECT_THAT(refusal_of(CellKind::kSharding, with_ranks), HasSubstr("the key 'sharding' is"));
  EXPECT_THAT(refusal_of(CellKind::kDataParallel, with_ranks), HasSubstr("the key 'scheme' is"));
  EXPECT_THAT(refusal_of(CellKind::kDataParallel, [](CellSpec& spec) { spec.scheme.emplace(); }),
              HasSubstr("the key 'collectives' is"));
  EXPECT_THAT(refusal_of(CellKind::kAllReduce, with_ranks),
              HasSubstr("the key 'largest_bytes' is"));
  EXPECT_THAT(refusal_of(CellKind::kLimits, [](CellSpec&) {}), "");
}

TEST(RunCheck, RefusesALaunchWhoseSumExceeds64Bits) {
  json rows = json::array();
  for (int i = 0; i < 401; ++i) rows.push_back({"a", 10'000'000'000'000'000});
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/rows", rows),
              HasSubstr("tables[0].rows[399][1]: the numbers of its launch add up to more"));
}

TEST(RunCheck, RefusesAColumnOfTwoTypes) {
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/rows", json::parse(R"([["a", 1], ["b", "two"]])")),
              HasSubstr("tables[0].rows[1][1]: the column 'bytes' holds numbers"));
  EXPECT_EQ(refusal_with(kLaunch + "/tables/0/rows", json::parse(R"([["a", 1], ["b", null]])")),
            "");
}

TEST(RunCheck, RefusesAKnownTableWithoutItsColumns) {
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/name", "kernel_names"),
              HasSubstr("tables[0].columns: the column 'id' is missing"));
  const json table{{"name", "kernel_names"},
                   {"columns", {{{"name", "id"}, {"unit", ""}}, {{"name", "name"}, {"unit", ""}}}},
                   {"rows", json::parse(R"([["one", "gemm"]])")}};
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0", table),
              HasSubstr("tables[0].rows[0][0]: the column 'id' holds numbers"));
}

TEST(RunCheck, RefusesATracedKernelWithoutARowInKernels) {
  Launch launch = sample_launch(Ok{});
  Table kernels = empty_table(metric::kKernels), trace = empty_table(metric::kGpuTrace);
  kernels.rows = {std::vector<Scalar>(5, Scalar(std::string("aten::mm")))};
  kernels.rows[0].resize(kernels.columns.size(), Scalar(std::int64_t{1}));
  trace.rows = {{std::int64_t{0}, std::int64_t{20}, std::int64_t{0}, Scalar()},
                {std::int64_t{25}, std::int64_t{9}, std::int64_t{0}, std::int64_t{3}}};
  launch.tables = {kernels, trace};
  labreport::Run run = sample_run();
  run.cells[0].launches = {launch};
  const std::string traced = to_json(run);
  EXPECT_EQ(refusal(traced), "");
  json document = json::parse(traced);
  json& row = document["cells"][0]["launches"][0]["tables"][1]["rows"][1][2];
  for (const json& wrong : {json(1), json(0.5), json(nullptr)}) {
    row = wrong;
    EXPECT_THAT(refusal(document.dump()),
                HasSubstr("tables[1].rows[1][2]: no row of the table 'kernels', which has 1"));
  }
}

TEST(RunCheck, BoundsTheRowsOfAGpuTrace) {
  json table{{"name", "gpu_trace"}, {"columns", json::array()}};
  for (const char* name : {"after_ns", "duration_ns", "row", "block"}) {
    table["columns"].push_back({{"name", name}, {"unit", ""}});
  }
  const json row = json::array({1, 1, 0, nullptr});
  table["rows"] = std::vector<json>(40'000, row);
  EXPECT_THAT(refusal_with(kLaunch + "/tables/-", table),
              HasSubstr("rows[0][2]: no row of the table"));
  table["rows"].push_back(row);
  EXPECT_THAT(refusal_with(kLaunch + "/tables/-", table),
              HasSubstr("tables[1].rows: a list of 40001 items, and 40000 are the most"));
}

TEST(RunCheck, RefusesImpossibleStartTimes) {
  for (const char* time : {"9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z",
                           "2026-01-01T24:00:00Z"}) {
    EXPECT_THAT(refusal_with("/sessions/0/started_at", time),
                HasSubstr("sessions[0].started_at: expected a time from 1970 to 2199"));
  }
  EXPECT_EQ(refusal_with("/sessions/0/started_at", "1970-01-01T00:00:07Z"), "")
      << "nobody set the clock";
}

TEST(RunCheck, RefusesAMeasuredRunWithoutAPreset) {
  EXPECT_THAT(refusal_with("/preset", "none"),
              HasSubstr("run.json: preset: 'none' is for imported runs"));
}

TEST(RunCheck, RefusesControlCharactersInNames) {
  EXPECT_THAT(refusal_with("/cells/0/params/size", "a\x1b[31m"),
              HasSubstr("cells[0].params.size: a name with a control character in it"));
  EXPECT_THAT(refusal_with(kLaunch + "/metrics/3/name", std::string("a\0b", 3)),
              HasSubstr("metrics[3]: a name with a control character"));
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/columns/0/name", "a\nb"),
              HasSubstr("tables[0].columns[0]: a name with a control character"));
}

TEST(RunCheck, BoundsTextsAndLists) {
  EXPECT_THAT(refusal_with("/cells/0/params/size", std::string(201, 'w')),
              HasSubstr("cells[0].params.size: a text of 201 bytes, and 200 are the most"));
  EXPECT_THAT(refusal_with("/sessions/0/cpu", std::string(20'000, 'w')),
              HasSubstr("sessions[0].cpu: a text of 20000 bytes, and 16384 are the most"));
  EXPECT_THAT(refusal_with(kLaunch + "/warnings", json(std::vector<std::string>(10'001))),
              HasSubstr("warnings: a list of 10001 items, and 10000 are the most"));
  EXPECT_THAT(refusal_with(kLaunch + "/tables/0/rows",
                           json(std::vector<json>(5'001, json::array({"a", 1})))),
              HasSubstr("tables[0].rows: a list of 5001 items, and 5000 are the most"));
  EXPECT_THAT(refusal_with("/cells", json(std::vector<int>(4'001))),
              HasSubstr("cells: a list of 4001 items, and 4000 are the most"));
}

TEST(RunCheck, BoundsTheMetricNamesOfARun) {
  labreport::Run run = sample_run();
  for (int i = 0; i < 501; ++i) {
    run.cells[0].launches[0].metrics.push_back(integer_metric("x", std::to_string(i), "1", i));
  }
  EXPECT_THAT(refusal(to_json(run)), HasSubstr("launches[0]: metrics of more than 500 names"));
}

}  // namespace
}  // namespace labreport::run_check_test
