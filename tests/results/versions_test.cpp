// Runs of every version that this program ever wrote, as they were recorded, and of versions that
// it does not know.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "results/broken_run.h"
#include "results/metric_names.h"

namespace labreport::versions_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_samples::changed;
using testing_samples::complaint;
using testing_samples::sample_run;

const fs::path kRecorded = fs::path(LABREPORT_SOURCE_DIR) / "tests/fixtures/versions";

std::string recorded(const std::string& version) {
  return read_file(kRecorded / (version + ".json"));
}

/// What is said on stderr while the text is read.
std::string warning(const std::string& text, const std::string& origin) {
  testing::internal::CaptureStderr();
  run_from_json(text, origin);
  return testing::internal::GetCapturedStderr();
}

TEST(Versions, EveryRecordedOneIsReadWholeAndWrittenAsThisOne) {
  int count = 0;
  for (const auto& file : fs::directory_iterator(kRecorded)) {
    json before = json::parse(read_file(file));
    EXPECT_EQ(before.at("schema_version"), file.path().stem().string());
    testing::internal::CaptureStderr();
    const labreport::Run run = run_from_json(before.dump(), "run.json");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "nothing to warn of";
    before["schema_version"] = kSchemaVersion;
    EXPECT_EQ(json::parse(to_json(run)), before) << file.path();
    ++count;
  }
  EXPECT_GE(count, 3);
  EXPECT_TRUE(fs::exists(kRecorded / (std::string(kSchemaVersion) + ".json")))
      << "record a run of the new version there";
}

TEST(Versions, TracesOfStepsCameWithTheThird) {
  const auto traced = [](const std::string& version) {
    return recorded(version).find("\"gpu_trace\"") != std::string::npos;
  };
  EXPECT_FALSE(traced("1.1.0"));
  EXPECT_TRUE(traced("1.2.0"));
}

TEST(Versions, ModelsOfOnesOwnCameWithTheFourth) {
  EXPECT_EQ(measured_model(run_from_json(recorded("1.2.0"), "run.json")), nullptr);
  EXPECT_NE(measured_model(run_from_json(recorded("1.3.0"), "run.json")), nullptr);
}

TEST(Versions, CompiledModelsCameWithTheFifth) {
  EXPECT_FALSE(measured_model(run_from_json(recorded("1.3.0"), "run.json"))->compile);
  EXPECT_TRUE(measured_model(run_from_json(recorded("1.4.0"), "run.json"))->compile);
}

TEST(Versions, AttentionByItselfCameWithTheSixth) {
  EXPECT_EQ(recorded("1.4.0").find("\"lengths\""), std::string::npos);
  const labreport::Run run = run_from_json(recorded("1.5.0"), "run.json");
  EXPECT_TRUE(run.cells.back().spec.attention);
}

TEST(Versions, LaddersCameWithTheSeventh) {
  const labreport::Run run = run_from_json(recorded("1.6.0"), "run.json");
  EXPECT_EQ(run.cells.at(1).spec.variant, Variant::kEinsum);
}

TEST(Versions, ACompiledRungBeganWithOtherWeightsBeforeTheEighth) {
  json run = json::parse(recorded("1.6.0"));
  json& cell = run["cells"][1];
  cell["id"] = "ladder.cpu.pytorch-compiled.d64-f256-l2-h2-v512.b2.c64.fp32.train_step.w1.n2";
  cell["params"]["implementation"] = "pytorch-compiled";
  cell["params"].erase("variant");
  const auto losses = [&](const char* version) {
    run["schema_version"] = version;
    const labreport::Run read = run_from_json(run.dump(), "run.json");
    return read.cells.at(1).launches.front().find(metric::kLosses, metric::kTotal) != nullptr;
  };
  EXPECT_FALSE(losses("1.6.0"));
  EXPECT_TRUE(losses("1.7.0"));
}

TEST(Versions, CheckpointsCameWithTheEighth) {
  EXPECT_EQ(recorded("1.6.0").find("\"checkpointing\""), std::string::npos);
  const labreport::Run run = run_from_json(recorded("1.7.0"), "run.json");
  EXPECT_FALSE(run.cells.at(0).spec.group);
  EXPECT_EQ(run.cells.at(1).spec.group, 1);
}

TEST(Versions, RanksCameWithTheNinth) {
  EXPECT_EQ(recorded("1.7.0").find("\"ranks\""), std::string::npos);
  const labreport::Run run = run_from_json(recorded("1.8.0"), "run.json");
  EXPECT_EQ(run.cells.at(0).spec.ranks, (Ranks{2, Collectives::kGloo}));
}

TEST(Versions, RanksThatTrainTogetherCameWithTheTenth) {
  EXPECT_EQ(recorded("1.8.0").find("\"sharding\""), std::string::npos);
  const labreport::Run run = run_from_json(recorded("1.9.0"), "run.json");
  EXPECT_EQ(run.cells.at(0).spec.sharding, Sharding::kNone);
  EXPECT_EQ(run.cells.at(1).spec.sharding, Sharding::kOptimizer);
  EXPECT_EQ(run.cells.at(2).spec.sharding, Sharding::kWeights);
}

TEST(Versions, DataParallelStepsCameWithTheTenth) {
  EXPECT_EQ(recorded("1.8.0").find("\"data_parallel\""), std::string::npos);
  const labreport::Run run = run_from_json(recorded("1.9.0"), "run.json");
  EXPECT_EQ(run.cells.at(5).spec.scheme, Scheme::kNone);
  EXPECT_EQ(run.cells.at(6).spec.scheme, Scheme::kPerParameter);
}

TEST(Versions, ANewerMinorOneIsReadWithOneWarning) {
  const std::string newer = changed("/schema_version", "1.10.0");
  EXPECT_EQ(warning(newer, "newer.json"),
            "newer.json: version 1.10.0 is newer than this program's " +
                std::string(kSchemaVersion) +
                ": what is new in it is left out; update labreport\n");
  EXPECT_EQ(warning(newer, "newer.json"), "") << "read again";
  EXPECT_NE(warning(newer, "another.json"), "");
  EXPECT_NE(warning(changed("/schema_version", "1.999999999.0"), "newest.json"), "");
}

TEST(Versions, WhatANewerOneAddsIsLeftOutWhereverItStands) {
  json document = json::parse(to_json(sample_run()));
  for (const char* place :
       {"", "/sessions/0", "/sessions/0/software", "/devices/0", "/cells/0", "/cells/0/params",
        "/cells/0/launches/0", "/cells/0/launches/0/outcome", "/cells/0/launches/0/metrics/0",
        "/cells/0/launches/0/tables/0", "/cells/0/launches/0/tables/0/columns/0"}) {
    document.at(json::json_pointer(place))["news"] = {{"of", "then"}};
  }
  EXPECT_NE(complaint(document.dump()), "") << "in this version it is a mistake";
  document["schema_version"] = "1.10.0";
  EXPECT_EQ(to_json(run_from_json(document.dump(), "more.json")), to_json(sample_run()));
}

TEST(Versions, ANewerOneIsNoExcuseForWhatIsWrong) {
  json document = json::parse(changed("/schema_version", "1.10.0"));
  document["cells"][0]["launches"][0]["wall_ns"] = -1;
  EXPECT_NE(complaint(document.dump()).find("wall_ns"), std::string::npos);
}

TEST(Versions, AnotherMajorOneIsRefusedInOneLine) {
  const std::string known = "this program reads version " + std::string(kSchemaVersion);
  EXPECT_EQ(complaint(changed("/schema_version", "2.0.0")),
            "run.json: schema_version: " + known + ", the file is 2.0.0: update labreport");
  EXPECT_EQ(complaint(changed("/schema_version", "0.9.0")),
            "run.json: schema_version: " + known + ", the file is 0.9.0");
  for (const char* none : {"", "1", "1.", "1.x.0", "1.1", "-1.0.0", "one", "01.1.0", "1.-1.0"}) {
    const std::string said = complaint(changed("/schema_version", none));
    EXPECT_NE(said.find("schema_version"), std::string::npos) << none;
    EXPECT_EQ(said.find('\n'), std::string::npos) << none;
  }
}

}  // namespace
}  // namespace labreport::versions_test
