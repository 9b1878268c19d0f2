// Tests how a command's word is resolved to a run.
#include "cli/run_choice.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/kept_runs.h"

namespace labreport::run_choice_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RunChoice : public testing::Test {
 protected:
  RunChoice() {
    testing::internal::CaptureStderr();
    fs::remove_all(root_);
    for (const char* place : {"nvidia-h200/2025/20260501-a", "nvidia-h200/2025/20260503-a",
                              "nvidia-h100/2025/20260502-a", "nvidia-l4/2025/20260420-a",
                              "nvidia-l4/2026/20260421-a"}) {
      keep_run(root_, place, testing_samples::three_launches());
    }
  }
  ~RunChoice() override {
    testing::internal::GetCapturedStderr();  // It names the chosen run.
    fs::remove_all(root_);
  }

  std::string below_root(const ChosenRun& run) const {
    return run.folder.lexically_relative(root_).string();
  }
  std::string chosen(const std::string& word, const std::string& edition = "",
                     const RunPreference& preference = kAnyRun) const {
    return below_root(choose_run(word, edition, root_, preference));
  }
  std::vector<std::string> together(const std::vector<std::string>& words) const {
    std::vector<std::string> folders;
    for (const ChosenRun& run : choose_runs(words, "", root_, kPreferLabreportsNetwork))
      folders.push_back(below_root(run));
    return folders;
  }
  std::pair<std::string, std::string> pair(const std::string& a, const std::string& b) const {
    const std::vector<std::string> both = together({a, b});
    return {both[0], both[1]};
  }
  void expect_refused(const std::string& word, const std::string& words) const {
    EXPECT_THAT([&] { choose_run(word, "", root_); }, ThrowsMessage<InputError>(HasSubstr(words)));
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("labreport-choice-" + std::to_string(getpid()));
};

TEST_F(RunChoice, AFolderOrAFileIsChosenItself) {
  const fs::path folder = root_ / "nvidia-l4/2025/20260420-a";
  EXPECT_EQ(chosen(folder.string()), "nvidia-l4/2025/20260420-a");
  EXPECT_EQ(chosen((folder / "run.json").string()), "nvidia-l4/2025/20260420-a");
}

TEST_F(RunChoice, ANameSlugOrPartChoosesTheGpusLatestRun) {
  for (const char* word : {"NVIDIA H200", "nvidia-h200", "H200", "200"}) {
    EXPECT_EQ(chosen(word), "nvidia-h200/2025/20260503-a") << word;
  }
}

TEST_F(RunChoice, ThePreferenceChoosesARunOfLabreportsNetwork) {
  auto of_model = testing_samples::three_launches();
  ModelSource& model = of_model.sessions.front().model.emplace();
  model.implementation = "Net-01234567";
  keep_run(root_, "nvidia-h200/2025/20260504-a", of_model);
  keep_run(root_, "nvidia-l40/2025/20260504-a", of_model);
  EXPECT_EQ(chosen("H200", "", kPreferLabreportsNetwork), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("nvidia-l40", "", kPreferLabreportsNetwork), "nvidia-l40/2025/20260504-a");
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260504-a") << "where nothing is needed";
}

TEST_F(RunChoice, ThePreferenceChoosesARunWithTimes) {
  auto nothing_timed = testing_samples::three_launches();
  nothing_timed.cells.clear();
  keep_run(root_, "nvidia-h200/2025/20260504-a", nothing_timed);
  EXPECT_EQ(chosen("H200", "", kPreferLabreportsNetwork), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("latest", "2025", kPreferLabreportsNetwork), "nvidia-h200/2025/20260504-a");
}

TEST_F(RunChoice, ARunThatMostlyFailedIsChosenOnlyWhereThereIsNoOther) {
  auto failed = testing_samples::three_launches();
  for (std::size_t i = 0; i < 2; ++i) {
    for (Launch& launch : failed.cells[i].launches) launch.outcome = Failed{"broken"};
  }
  keep_run(root_, "nvidia-h200/2025/20260504-a", failed);
  keep_run(root_, "nvidia-b300/2025/20260505-a", failed);
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("latest"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("B300"), "nvidia-b300/2025/20260505-a");
}

TEST_F(RunChoice, ARunOutOfMemoryDidNotFail) {
  auto out = testing_samples::three_launches();
  for (Cell& cell : out.cells) {
    for (Launch& launch : cell.launches) launch.outcome = OutOfMemory{};
  }
  keep_run(root_, "nvidia-h200/2025/20260504-a", out);
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260504-a");
}

TEST_F(RunChoice, APartThatSeveralGpusHaveIsRefusedWithTheirNames) {
  expect_refused("nvidia", "'nvidia' may be nvidia-h100, nvidia-h200 and nvidia-l4");
  expect_refused("h", "nvidia-h100 and nvidia-h200");
}

TEST_F(RunChoice, TheEditionLimitsTheChoice) {
  EXPECT_EQ(chosen("L4"), "nvidia-l4/2026/20260421-a");
  EXPECT_EQ(chosen("L4", "2025"), "nvidia-l4/2025/20260420-a");
}

TEST_F(RunChoice, TwoGpusChooseTheNewestPairOfOneEdition) {
  using testing::Pair;
  EXPECT_THAT(pair("L4", "H200"), Pair("nvidia-l4/2025/20260420-a", "nvidia-h200/2025/20260503-a"));
  keep_run(root_, "nvidia-h200/2026/20260410-a", testing_samples::three_launches());
  EXPECT_THAT(pair("H200", "L4"), Pair("nvidia-h200/2025/20260503-a", "nvidia-l4/2025/20260420-a"))
      << "the other pair's older run is older";
  keep_run(root_, "nvidia-h200/2026/20260501-a", testing_samples::three_launches());
  EXPECT_THAT(pair("H200", "L4"), Pair("nvidia-h200/2026/20260501-a", "nvidia-l4/2026/20260421-a"));
}

TEST_F(RunChoice, TwoGpusWithoutACommonEditionChooseTheirLatestRuns) {
  keep_run(root_, "nvidia-b300/2026/20260504-a", testing_samples::three_launches());
  EXPECT_THAT(pair("B300", "H200"),
              testing::Pair("nvidia-b300/2026/20260504-a", "nvidia-h200/2025/20260503-a"));
}

TEST_F(RunChoice, AGpuBesideARunTakesTheRunsEdition) {
  using testing::Pair;
  EXPECT_THAT(pair("L4", "latest"),
              Pair("nvidia-l4/2025/20260420-a", "nvidia-h200/2025/20260503-a"));
  EXPECT_THAT(pair((root_ / "nvidia-h100/2025/20260502-a").string(), "L4"),
              Pair("nvidia-h100/2025/20260502-a", "nvidia-l4/2025/20260420-a"));
}

TEST_F(RunChoice, ManyGpusChooseTheNewestRunsOfOneEdition) {
  using testing::ElementsAre;
  EXPECT_THAT(together({"L4", "H200", "H100"}),
              ElementsAre("nvidia-l4/2025/20260420-a", "nvidia-h200/2025/20260503-a",
                          "nvidia-h100/2025/20260502-a"));
  EXPECT_THAT(together({"L4", "latest", "H100"}),
              ElementsAre("nvidia-l4/2025/20260420-a", "nvidia-h200/2025/20260503-a",
                          "nvidia-h100/2025/20260502-a"));
  keep_run(root_, "nvidia-b300/2026/20260504-a", testing_samples::three_launches());
  EXPECT_THAT(together({"L4", "B300", "H200"}),
              ElementsAre("nvidia-l4/2026/20260421-a", "nvidia-b300/2026/20260504-a",
                          "nvidia-h200/2025/20260503-a"))
      << "no edition has all";
}

TEST_F(RunChoice, AFolderIsNotReadToChooseIt) {
  const fs::path folder = root_ / "nvidia-h100/2025/20260502-a";
  fs::remove(folder / "run.json");
  EXPECT_EQ(choose_folder(folder.string(), root_), folder);
  EXPECT_EQ(choose_folder("H200", root_), root_ / "nvidia-h200/2025/20260503-a");
}

TEST_F(RunChoice, ARefusalNamesTheEditionsOfTheGpu) {
  EXPECT_THAT([&] { choose_run("H200", "2026", root_); },
              ThrowsMessage<InputError>(
                  HasSubstr("'H200' has no run of the 2026 edition; it has runs of 2025")));
}

TEST_F(RunChoice, LatestIsTheNewestAndPreviousHasItsGpuAndEdition) {
  EXPECT_EQ(chosen("latest"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("latest", "2026"), "nvidia-l4/2026/20260421-a");
  EXPECT_EQ(chosen("previous"), "nvidia-h200/2025/20260501-a") << "the H100's is newer";
  EXPECT_THAT([&] { choose_run("previous", "2026", root_); },
              ThrowsMessage<InputError>(HasSubstr(
                  "nvidia-l4 has no measured run of the 2026 edition before the latest")));
}

TEST_F(RunChoice, ImportedRunsAreNeitherLatestNorPreviousNorBeforeMeasuredOnes) {
  for (const char* place :
       {"nvidia-h200/2025/20260504-imported", "a-friends/2025/20260505-imported"}) {
    RunStore(root_ / place).save_imported(testing_samples::imported_run());
  }
  EXPECT_EQ(chosen("latest"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("previous"), "nvidia-h200/2025/20260501-a");
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("friends"), "a-friends/2025/20260505-imported") << "it has no other";
}

TEST_F(RunChoice, RefusalsNameTheWord) {
  expect_refused("b200", "no run is called 'b200'");
  expect_refused("", "no run is called ''");
  expect_refused("../..x", "no run is called '../..x'");
}

TEST_F(RunChoice, RefusalsSayWhereNoRunIs) {
  const std::string nowhere = (root_ / "nowhere").string();
  for (const char* word : {"latest", "previous"}) {
    EXPECT_THAT([&] { choose_run(word, "", nowhere); },
                ThrowsMessage<InputError>(HasSubstr("no recorded run below " + nowhere)));
  }
  EXPECT_THAT([&] { choose_run("H200", "", nowhere); },
              ThrowsMessage<InputError>(
                  HasSubstr("no run is called 'H200', and none is below " + nowhere)));
}

}  // namespace
}  // namespace labreport::run_choice_test
