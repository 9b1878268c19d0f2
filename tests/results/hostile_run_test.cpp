// Tests that malformed and hostile runs are refused with one line that names the place.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "results/broken_run.h"
#include "results/json_reader.h"
#include "results/launch_file.h"

namespace labreport::hostile_run_test {
namespace {

using nlohmann::json;
using testing_samples::refusal;
using testing_samples::sample_run;
using testing_samples::sample_with;

TEST(HostileRun, IsRefusedForWrongTypesInMetricsAndTables) {
  const std::string launch = "/cells/0/launches/0";
  const std::string metric = launch + "/metrics/0";
  const std::string table = launch + "/tables/0";
  const std::pair<std::string, json> wrong[]{{metric + "/unit", 3},
                                             {metric + "/samples", nullptr},
                                             {metric + "/samples", "30"},
                                             {metric + "/samples", {1, nullptr}},
                                             {metric + "/samples", {1, "2"}},
                                             {metric + "/samples", {1, true}},
                                             {metric + "/samples", {{1}}},
                                             {metric + "/value", json::array()},
                                             {metric + "/more", 1},
                                             {metric + "/reason", nullptr},
                                             {metric + "/reason", 3},
                                             {launch + "/metrics/1/value", {1}},
                                             {launch + "/conditions/0/value", json::object()},
                                             {launch + "/conditions/0/more", 1},
                                             {table + "/columns/0/more", 1},
                                             {table + "/columns/0/unit", nullptr},
                                             {table + "/rows", nullptr},
                                             {table + "/rows/0", "row"},
                                             {table + "/rows/0", json::array()},
                                             {table + "/rows/0/0", json::array()},
                                             {table + "/rows/0/1", json::object()},
                                             {launch + "/warnings/0", 3}};
  for (const auto& [pointer, value] : wrong) {
    EXPECT_NE(refusal(sample_with(pointer, value)).find("run.json: cells[0].launches[0]."),
              std::string::npos)
        << pointer << ' ' << value;
  }
}

TEST(HostileRun, IsRefusedForARepeatedKey) {
  std::string text = sample_with("/preset", "demo");
  text.insert(text.find("\"status\""), "\"status\": \"ok\", ");
  EXPECT_EQ(refusal(text),
            "run.json: cells[0].launches[0].outcome: a key stands there twice; leave one of them");
}

TEST(HostileRun, IsRefusedForTextAfterTheDocument) {
  const std::string text = to_json(sample_run());
  for (const std::string& more :
       {std::string("\0", 1), std::string("{}"), std::string("\0{}", 3)}) {
    EXPECT_THAT(refusal(text + more),
                testing::AnyOf(testing::HasSubstr("this is not JSON"),
                               testing::HasSubstr("there is more behind the document")));
  }
}

TEST(HostileRun, IsRefusedWithTheFlawOfMalformedText) {
  const std::string text = to_json(sample_run());
  const std::pair<const char*, const char*> wrong[]{
      {"\xFF", "this is not UTF-8; save it as UTF-8"},
      {"\xC0\xAF", "this is not UTF-8; save it as UTF-8"},
      {"\xED\xA0\x80", "this is not UTF-8; save it as UTF-8"},
      {"\\ud800", "\\u escapes half a character; write both halves"},
      {"\\q", "a backslash that escapes nothing"},
      {"\n", "a text holds a control character"},
      {"\\u12", "a backslash that escapes nothing"}};
  for (const auto& [bytes, expected_message] : wrong) {
    std::string broken = text;
    broken.insert(broken.find("a processor"), bytes);
    EXPECT_THAT(refusal(broken), testing::HasSubstr(expected_message)) << bytes;
  }
}

TEST(HostileRun, IsRefusedWithTheExpectedPattern) {
  EXPECT_THAT(refusal(sample_with("/sessions/0/revision", "HEAD")),
              testing::HasSubstr("sessions[0].revision: expected 40 hex digits, or nothing"));
  EXPECT_THAT(refusal(sample_with("/sessions/0/started_at", "now")),
              testing::HasSubstr("sessions[0].started_at: expected a time such as 2026-05-01T12"));
}

TEST(HostileRun, IsRefusedForNumbersThatNoTypeHolds) {
  for (const char* wrong : {"1e999", "NaN", "-Infinity", "01", "1.", "0x1"}) {
    std::string text = to_json(sample_run());
    text.replace(text.find("1024"), 4, wrong);
    EXPECT_THAT(refusal(text), testing::AnyOf(testing::HasSubstr("this is not JSON"),
                                              testing::HasSubstr("a number is too large")))
        << wrong;
  }
}

TEST(HostileRun, MayHaveNumbersOfManyDigits) {
  for (const auto& [text, value] :
       {std::pair{"0e99", 0.0},
        {"-0.000e-400", -0.0},
        {"18446744073709551615744073709551615", 18446744073709551615e15},
        {"1844674407370955161.5", 1844674407370955161.5}}) {
    EXPECT_EQ(parse_json(text, "number").root.get<double>(), value) << text;
  }
}

TEST(HostileRun, IsRefusedWithoutMessagesOfTheJsonLibrary) {
  const std::string text = to_json(sample_run());
  const auto expect_own_words = [](const std::string& broken) {
    const std::string message = refusal(broken);
    EXPECT_THAT(message, testing::AnyOf("", testing::StartsWith("run.json: ")));
    EXPECT_THAT(message, testing::Not(testing::HasSubstr("exception")));
  };
  for (std::size_t cut = 0; cut + 2 < text.size(); cut += 97) {
    EXPECT_THAT(refusal(text.substr(0, cut)), testing::HasSubstr("in the middle")) << cut;
    for (const char byte : {'"', '\\', '{', ']', ',', '\0', '\x80', '\xEF'}) {
      std::string broken = text;
      broken[cut] = byte;
      expect_own_words(broken);
    }
  }
}

TEST(HostileRun, MayNestDeeply) {
  constexpr std::size_t kLevels = 1000000;
  std::string text = to_json(sample_run());
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  text.insert(1, "\"unknown\": " + deep + ", ");
  EXPECT_EQ(refusal(text), "run.json: the document: unknown key \"unknown\"");
  text.erase(1, text.find(deep) + deep.size() + 1);
  text.replace(text.find("1024"), 4, deep);
  EXPECT_EQ(refusal(text),
            "run.json: cells[0].launches[0].metrics[1].value: expected a number, a string, true, "
            "false or null, found an array");
}

TEST(HostileRun, IsRefusedForLongTextsBeforePatternsAreMatched) {
  const std::string digits(1'000'000, '1');
  for (const auto& [pointer, text] : {std::pair{"/schema_version", "2." + digits + ".0"},
                                      {"/devices/0/uuid_hash", digits},
                                      {"/sessions/0/revision", digits},
                                      {"/sessions/0/started_at", digits}}) {
    EXPECT_NE(refusal(sample_with(pointer, text)).find("run.json: "), std::string::npos) << pointer;
  }
}

TEST(HostileRun, CannotNameADeviceByItsIndexInALaunchFile) {
  const labreport::Run run = sample_run();
  auto file = json::parse(launch_file_to_json(run, run.cells[0], 0));
  file["device"] = nullptr;
  file["result"]["device"] = 1'000'000;
  labreport::Run merged = sample_run();
  merged.cells.clear();
  merge_launch_file(merged, file.dump(), "launch.json");
  EXPECT_EQ(merged.cells.at(0).launches.at(0).device, std::nullopt);
}

TEST(HostileRun, GetsNoLaunchThatBreaksARule) {
  const labreport::Run run = sample_run();
  const auto file = json::parse(launch_file_to_json(run, run.cells[0], 0));
  for (const auto& [pointer, value, expected_message] :
       {std::tuple<const char*, json, const char*>{"/result/wall_ns", -1, "result.wall_ns: "},
        {"/result/session", 7, "result.session: "},
        {"/result/outcome",
         {{"status", "crashed"}, {"signal", 256}, {"message", ""}},
         "result.outcome.signal: "},
        {"/result/metrics/0/more", 1, "result.metrics[0]"},
        {"/result/metrics/0/unit", "furlong", "result.metrics[0].unit: "},
        {"/result/tables/0/rows/0", {1}, "result.tables[0].rows[0]: "},
        {"/launch", 2, "launch: "},
        {"/device/memory_bytes", -1, "device.memory_bytes: "},
        {"/device/uuid_hash", "<b>", "device.uuid_hash: "},
        {"/params/batch", 0, "params.batch: "},
        {"/params", {{"device_kind", "cpu"}}, "params: the key 'd_model' is missing"}}) {
    json wrong = file;
    wrong[json::json_pointer(pointer)] = value;
    labreport::Run merged = sample_run();
    try {
      merge_launch_file(merged, wrong.dump(), "launch.json");
      ADD_FAILURE() << pointer;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(),
                  testing::StartsWith(std::string("launch.json: ") + expected_message));
    }
    EXPECT_EQ(to_json(merged), to_json(run)) << pointer;
  }
}

TEST(HostileRun, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF" + to_json(sample_run())), "");
}

}  // namespace
}  // namespace labreport::hostile_run_test
