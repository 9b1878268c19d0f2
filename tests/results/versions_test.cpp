// Tests that recorded runs are read, and how runs of other versions are handled.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "results/broken_run.h"
#include "results/shipped_runs.h"

namespace labreport::versions_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_samples::refusal;
using testing_samples::sample_run;
using testing_samples::sample_with;

/// Returns what is written to stderr while the text is read.
std::string warnings(const std::string& text, const std::string& origin) {
  testing::internal::CaptureStderr();
  run_from_json(text, origin);
  return testing::internal::GetCapturedStderr();
}

TEST(Versions, RecordedRunsRoundTrip) {
  const std::vector<fs::path> folders = testing_shipped::shipped_runs();
  if (folders.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const fs::path& folder : folders) {
    const std::string text = read_file(RunStore(folder).run_file());
    EXPECT_TRUE(to_json(run_from_json(text, "run.json")) == text) << folder;
  }
}

TEST(Versions, NewerMinorVersionIsReadWithOneWarning) {
  const std::string newer = sample_with("/schema_version", "2.10.0");
  EXPECT_EQ(warnings(newer, "newer.json"),
            "newer.json: version 2.10.0 is newer than this program's " +
                std::string(kSchemaVersion) +
                ": what is new in it is left out; update labreport\n");
  EXPECT_EQ(warnings(newer, "newer.json"), "") << "read again";
  EXPECT_NE(warnings(newer, "another.json"), "");
  EXPECT_NE(warnings(sample_with("/schema_version", "2.999999999.0"), "newest.json"), "");
}

TEST(Versions, KeysOfANewerVersionAreLeftOut) {
  json document = json::parse(to_json(sample_run()));
  for (const char* place :
       {"", "/sessions/0", "/sessions/0/software", "/devices/0", "/cells/0", "/cells/0/params",
        "/cells/0/launches/0", "/cells/0/launches/0/outcome", "/cells/0/launches/0/metrics/0",
        "/cells/0/launches/0/tables/0", "/cells/0/launches/0/tables/0/columns/0"}) {
    document.at(json::json_pointer(place))["news"] = {{"of", "then"}};
  }
  EXPECT_NE(refusal(document.dump()), "") << "in this version it is a mistake";
  document["schema_version"] = "2.10.0";
  EXPECT_EQ(to_json(run_from_json(document.dump(), "more.json")), to_json(sample_run()));
}

TEST(Versions, WrongValuesOfANewerVersionAreRefused) {
  json document = json::parse(sample_with("/schema_version", "2.10.0"));
  document["cells"][0]["launches"][0]["wall_ns"] = -1;
  EXPECT_NE(refusal(document.dump()).find("wall_ns"), std::string::npos);
}

TEST(Versions, OtherMajorVersionsAreRefused) {
  const std::string known =
      "run.json: schema_version: this program reads version " + std::string(kSchemaVersion);
  EXPECT_EQ(refusal(sample_with("/schema_version", "3.0.0")),
            known + ", the file is 3.0.0: update labreport");
  EXPECT_EQ(refusal(sample_with("/schema_version", "1.9.0")),
            known + ", the file is 1.9.0; revision e1040cb5 of labreport reads it");
  for (const char* malformed :
       {"", "2", "2.", "2.x.0", "2.1", "-2.0.0", "one", "02.1.0", "2.-1.0"}) {
    EXPECT_EQ(refusal(sample_with("/schema_version", malformed)),
              "run.json: schema_version: expected a version such as 2.0.0, found \"" +
                  std::string(malformed) + "\"");
  }
}

}  // namespace
}  // namespace labreport::versions_test
