// Tests that a run of the user's is never taken for one that ships with the project.
#include "results/shipped_runs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "results/sample.h"

namespace labreport::shipped_runs_test {
namespace {

namespace fs = std::filesystem;

class ReferenceRuns : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }

  fs::path add(const std::string& place) {
    const RunStore store(root_ / place);
    store.create(testing_samples::sample_run());
    return store.folder();
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "shipped-runs";
};

TEST_F(ReferenceRuns, AreThoseWithAMark) {
  const fs::path shipped = add("nvidia-h200/2025/20260501-000000-a");
  std::ofstream(shipped / "reference");
  add("nvidia-h200/2025/20260502-000000-a");
  fs::create_directories(root_ / "cpu/2026/20260503-000000-a");
  std::ofstream(root_ / "cpu/2026/20260503-000000-a/run.json") << "{";
  EXPECT_EQ(testing_shipped::reference_runs(root_), std::vector{shipped});
}

TEST_F(ReferenceRuns, AreNoneWhereTheyWereTakenAway) {
  EXPECT_TRUE(testing_shipped::reference_runs(root_).empty());
  add("nvidia-h200/2025/20260502-000000-a");
  EXPECT_TRUE(testing_shipped::reference_runs(root_).empty());
}

}  // namespace
}  // namespace labreport::shipped_runs_test
