// Tests which run's page a command uses if it names no run.
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/kept_runs.h"
#include "publish/rendering.h"

namespace labreport::newest_run_test {
namespace {

namespace fs = std::filesystem;

class NewestRun : public testing::Test {
 protected:
  ~NewestRun() override { fs::remove_all(root_); }

  fs::path add(const std::string& place, const std::string& preset, bool ships) {
    labreport::Run run = testing_samples::three_launches();
    run.preset = preset;
    runs_.push_back(keep_run(root_, place, run));
    if (ships) write_atomically(runs_.back() / "reference", "");
    return runs_.back();
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("labreport-newest-" + std::to_string(getpid()));
  std::vector<fs::path> runs_;
};

TEST_F(NewestRun, IsTheLatestUserRunOfAnyPreset) {
  add("h200/2025/3-a", "full", true);
  add("h200/2025/1-a", "full", false);
  const fs::path later = add("b200/2025/2-a", "quick", false);
  EXPECT_EQ(newest_run(runs_), later);
}

TEST_F(NewestRun, IsTheLatestFullRunIfAllAreShipped) {
  add("h200/2025/1-a", "full", true);
  const fs::path full = add("h200/2025/2-a", "full", true);
  add("h200/2025/3-a", "quick", true);
  EXPECT_EQ(newest_run(runs_), full);
}

TEST_F(NewestRun, IsTheLatestShippedRunIfNoneIsFull) {
  EXPECT_EQ(newest_run(runs_), "");
  add("h200/2025/1-a", "quick", true);
  const fs::path later = add("h200/2025/2-a", "quick", true);
  EXPECT_EQ(newest_run(runs_), later);
}

TEST_F(NewestRun, IsNoUnreadableRun) {
  const fs::path full = add("h200/2025/1-a", "full", true);
  const fs::path broken = add("h200/2025/2-a", "full", true);
  write_atomically(broken / "run.json", "{");
  EXPECT_EQ(newest_run(runs_), full);
}

}  // namespace
}  // namespace labreport::newest_run_test
