#include "results/run_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "results/broken_run.h"
#include "results/json_writer.h"
#include "results/sample.h"

namespace labreport::run_json_test {
namespace {

using nlohmann::json;
using testing_samples::refusal;
using testing_samples::sample_run;
using testing_samples::sample_with;

TEST(RunJson, RoundTrips) {
  const std::string text = to_json(sample_run());
  EXPECT_EQ(to_json(run_from_json(text, "run.json")), text);
}

TEST(RunJson, KeepsReservedBytesWhichOldRunsLack) {
  json run = json::parse(to_json(sample_run()));
  json& outcome = run["cells"][1]["launches"][0]["outcome"];
  EXPECT_EQ(outcome["reserved_bytes"], 30);
  outcome.erase("reserved_bytes");
  const labreport::Run read = run_from_json(run.dump(), "run.json");
  EXPECT_FALSE(std::get<OutOfMemory>(read.cells[1].launches[0].outcome).reserved_bytes);
}

TEST(RunJson, RoundTripsAnAttentionAndRequiresItsSweep) {
  labreport::Run run = sample_run();
  CellSpec spec;
  spec.kind = CellKind::kAttention;
  spec.batch = 8;
  spec.precision = Precision::kBf16;
  run.find_or_add(spec);
  EXPECT_NE(refusal(to_json(run)).find("the key 'method' is missing"), std::string::npos);
  run.cells.pop_back();
  spec.attention =
      AttentionSweep{AttentionMethod::kDoBench, AttentionBackend::kFlash, 64, 16, {128, 256}};
  run.find_or_add(spec);
  const std::string text = to_json(run);
  const labreport::Run read = run_from_json(text, "run.json");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.cells.back().spec.attention->lengths, spec.attention->lengths);
  json without_lengths = json::parse(text);
  without_lengths["cells"].back()["params"]["lengths"] = json::array();
  EXPECT_NE(refusal(without_lengths.dump()), "");
}

TEST(RunJson, PutsSamplesOnOneLine) {
  EXPECT_NE(to_json(sample_run())
                .find(R"({"tag": "step", "name": "total", "unit": "ns", "samples": [30, 10, 11]})"),
            std::string::npos);
}

TEST(RunJson, PutsSeveralRowsOfIntegersOnALine) {
  Json rows = Json::array(), words = Json::array();
  for (int i = 0; i < 40; ++i) rows.push_back({1000 + i, nullptr});
  for (int i = 0; i < 2; ++i) words.push_back({i, "exp"});
  const std::string text = write_json({{"rows", rows}, {"words", words}});
  EXPECT_EQ(Json::parse(text)["rows"], rows);
  EXPECT_NE(text.find("\n    [1000,null],[1001,null],"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    [0, \"exp\"],\n"), std::string::npos) << text;
  EXPECT_LT(std::ranges::count(text, '\n'), 15);
}

TEST(RunJson, NamesThePathOfAWrongType) {
  EXPECT_EQ(refusal(sample_with("/cells/0/params/context", "512")),
            "run.json: cells[0].params.context: expected an integer, found \"512\"");
  EXPECT_EQ(refusal(sample_with("/sessions/0/argv", 3)),
            "run.json: sessions[0].argv: expected an array, found 3");
}

TEST(RunJson, NamesAMissingKey) {
  json document = json::parse(to_json(sample_run()));
  document["cells"][1]["launches"][0]["outcome"].erase("phase");
  EXPECT_EQ(refusal(document.dump()),
            "run.json: cells[1].launches[0].outcome: the key 'phase' is missing");
}

TEST(RunJson, RefusesTextThatIsNotJson) {
  EXPECT_EQ(refusal("{\n  oops\n}"),
            "run.json: line 2: this is not JSON; `python3 -m json.tool` shows the place");
}

TEST(RunJson, KeepsEveryBitOfDoubles) {
  labreport::Run run = sample_run();
  auto& metrics = run.cells[0].launches[0].metrics;
  metrics = {
      sample_metric("some", "numbers", "1", {-10'000'000'000'000'000, -0, 10'000'000'000'000'000})};
  for (const double value : {0.1, 1e18, 1e-45, 1.401298464324817e-45, 123456789012345678.0,
                             9007199254740993.5, -1.0 / 3}) {
    metrics.push_back(real_metric("some", std::to_string(metrics.size()), "1", value));
  }
  const labreport::Run reread = run_from_json(to_json(run), "run.json");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_EQ(reread.cells[0].launches[0].metrics[i].data, metrics[i].data) << i;
  }
}

TEST(RunJson, ReplacesBytesThatAreNotUtf8) {
  labreport::Run run = sample_run();
  run.sessions[0].environment["OMP_\xFF"] = "\xFE";
  run.sessions[0].argv = {"\xED\xA0\x80"};
  EXPECT_EQ(refusal(to_json(run)), "");
}

TEST(RunJson, RefusesAnIdOfOtherParameters) {
  const std::string message = refusal(sample_with("/cells/0/id", "timing.cpu"));
  EXPECT_NE(message.find("cells[0].id: expected 'timing.cpu.d64"), std::string::npos) << message;
}

TEST(RunJson, RefusesIndicesOutOfRange) {
  EXPECT_NE(refusal(sample_with("/cells/0/launches/0/device", 5)).find("not there"),
            std::string::npos);
  EXPECT_NE(refusal(sample_with("/cells/0/launches/0/session", 1)).find("not there"),
            std::string::npos);
}

TEST(RunJson, RefusesNumbersOutOfBounds) {
  for (const json& number : {json(18446744073709551615ULL), json(INT64_MIN), json(INT64_MAX),
                             json(10'000'000'000'000'001)}) {
    EXPECT_NE(refusal(sample_with("/sessions/0/seed", number)).find("at most 10^16"),
              std::string::npos)
        << number;
  }
  EXPECT_NE(refusal(sample_with("/cells/0/launches/0/metrics/0/samples", {1.1e18, -1e300}))
                .find("at most 10^18"),
            std::string::npos);
  for (const double number : {5e-324, -1e-46}) {
    EXPECT_NE(refusal(sample_with("/cells/0/launches/0/metrics/2/value", number))
                  .find("expected 0 or a number of at least 10^-45"),
              std::string::npos)
        << number;
  }
}

TEST(RunJson, RefusesANetworkOfTooManyBytes) {
  EXPECT_NE(refusal(sample_with("/cells/0/params/layers", 1'000'000'000'000'000))
                .find("more bytes than can be counted"),
            std::string::npos);
}

TEST(LaunchJson, RequestsAndReportsRoundTrip) {
  const LaunchRequest request{testing_samples::sample_spec(Mode::kForward), 2, 7,
                              "run/artifacts/cell.2"};
  EXPECT_EQ(to_json(request_from_json(to_json(request), "request")), to_json(request));
  LaunchReport report;
  report.cell_id = cell_id(request.spec);
  report.launch = 2;
  report.software.cuda = "13.0";
  report.device = sample_run().devices[0];
  report.body = testing_samples::sample_launch(Ok{});
  EXPECT_EQ(to_json(report_from_json(to_json(report), "report")), to_json(report));
}

}  // namespace
}  // namespace labreport::run_json_test
