// What a word means where a run is wanted.
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
    fs::remove_all(root_);
    for (const char* place : {"nvidia-h200/2025/20260501-a", "nvidia-h200/2025/20260503-a",
                              "nvidia-h100/2025/20260502-a", "nvidia-l4/2025/20260420-a",
                              "nvidia-l4/2026/20260421-a"}) {
      keep_run(root_, place, testing_samples::three_launches());
    }
  }
  ~RunChoice() override { fs::remove_all(root_); }

  /// The chosen run's folder below the root.
  std::string chosen(const std::string& word, const std::string& edition = "") const {
    return choose_run(word, edition, root_).folder.lexically_relative(root_).string();
  }
  void expect_refused(const std::string& word, const std::string& words) const {
    EXPECT_THAT([&] { choose_run(word, "", root_); }, ThrowsMessage<InputError>(HasSubstr(words)));
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("labreport-choice-" + std::to_string(getpid()));
};

TEST_F(RunChoice, AFolderOrAFileIsItself) {
  const fs::path folder = root_ / "nvidia-l4/2025/20260420-a";
  EXPECT_EQ(chosen(folder.string()), "nvidia-l4/2025/20260420-a");
  EXPECT_EQ(chosen((folder / "run.json").string()), "nvidia-l4/2025/20260420-a");
}

TEST_F(RunChoice, AGpuIsItsLatestRunByNameSlugOrPart) {
  for (const char* word : {"NVIDIA H200", "nvidia-h200", "H200", "200"}) {
    EXPECT_EQ(chosen(word), "nvidia-h200/2025/20260503-a") << word;
  }
}

TEST_F(RunChoice, AGpuIsItsLatestRunOfLabreportsNetworkWhereThereIsOne) {
  auto of_model = testing_samples::three_launches();
  ModelSource& model = of_model.sessions.front().model.emplace();
  model.implementation = "Net-01234567";
  keep_run(root_, "nvidia-h200/2025/20260504-a", of_model);
  keep_run(root_, "nvidia-l40/2025/20260504-a", of_model);
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("nvidia-l40"), "nvidia-l40/2025/20260504-a");
}

TEST_F(RunChoice, AGpuIsItsLatestRunThatTimesNetworks) {
  auto nothing_timed = testing_samples::three_launches();
  nothing_timed.cells.clear();
  keep_run(root_, "nvidia-h200/2025/20260504-a", nothing_timed);
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("latest", "2025"), "nvidia-h200/2025/20260504-a");
}

TEST_F(RunChoice, APartThatSeveralGpusHaveIsRefusedWithTheirNames) {
  expect_refused("nvidia", "'nvidia' may be nvidia-h100, nvidia-h200 and nvidia-l4");
  expect_refused("h", "nvidia-h100 and nvidia-h200");
}

TEST_F(RunChoice, AGpuWithRunsOfTwoEditionsNeedsOne) {
  expect_refused("L4", "has runs of 2025 and 2026; choose one with --edition");
  EXPECT_EQ(chosen("L4", "2026"), "nvidia-l4/2026/20260421-a");
}

TEST_F(RunChoice, AGpuWithoutARunOfTheEditionIsNotDenied) {
  EXPECT_THAT([&] { choose_run("H200", "2026", root_); },
              ThrowsMessage<InputError>(
                  HasSubstr("'H200' has no run of the 2026 edition; it has runs of 2025")));
}

TEST_F(RunChoice, LatestAndPreviousGoByTheTime) {
  EXPECT_EQ(chosen("latest"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("previous"), "nvidia-h100/2025/20260502-a");
  EXPECT_EQ(chosen("latest", "2026"), "nvidia-l4/2026/20260421-a");
  EXPECT_THAT([&] { choose_run("previous", "2026", root_); },
              ThrowsMessage<InputError>(
                  HasSubstr("no measured run before the latest of the 2026 edition")));
}

TEST_F(RunChoice, ImportedRunsAreNeitherLatestNorPreviousNorBeforeMeasuredOnes) {
  for (const char* place :
       {"nvidia-h200/2025/20260504-imported", "a-friends/2025/20260505-imported"}) {
    RunStore(root_ / place).keep_imported(testing_samples::imported());
  }
  EXPECT_EQ(chosen("latest"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("previous"), "nvidia-h100/2025/20260502-a");
  EXPECT_EQ(chosen("H200"), "nvidia-h200/2025/20260503-a");
  EXPECT_EQ(chosen("friends"), "a-friends/2025/20260505-imported") << "it has no other";
}

TEST_F(RunChoice, NothingIsRefusedByItsName) {
  expect_refused("b200", "no run is called 'b200'");
  expect_refused("", "no run is called ''");
  expect_refused("../..x", "no run is called '../..x'");
  EXPECT_THAT([&] { choose_run("latest", "", root_ / "nowhere"); },
              ThrowsMessage<InputError>(HasSubstr("no measured run under")));
}

}  // namespace
}  // namespace labreport::run_choice_test
