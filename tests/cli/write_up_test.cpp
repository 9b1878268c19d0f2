// Tests from which run a write-up takes each problem.
#include "publish/write_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/kept_runs.h"

namespace labreport::write_up_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Run full_run() {
  Run run = testing_samples::three_launches();
  run.preset = "full";
  return run;
}

Run quick_run() {
  Run run = full_run();
  run.preset = "quick";
  return run;
}

Run run_on_cpu() {
  Run run = full_run();
  run.devices.front().kind = DeviceKind::kCpu;
  for (Cell& cell : run.cells) {
    cell.spec.device = DeviceKind::kCpu;
    cell.id = cell_id(cell.spec);
  }
  return run;
}

Run run_of_users_model() {
  Run run = quick_run();
  run.sessions.front().model = ModelSource{"Model-0a1b2c3d", "m.py:Model", "", "", ""};
  for (Cell& cell : run.cells) {
    if (cell.spec.kind == CellKind::kLimits) continue;
    cell.spec.implementation = "Model-0a1b2c3d";
    cell.id = cell_id(cell.spec);
  }
  return run;
}

Run run_of_one_part() {
  Run run = full_run();
  run.sessions.front().request.problems = "benchmarking_script.b";
  return run;
}

Run run_without_forward() {
  Run run = full_run();
  std::erase_if(run.cells, [](const Cell& cell) { return cell.spec.mode == Mode::kForward; });
  return run;
}

class WriteUpChoice : public testing::Test {
 protected:
  ~WriteUpChoice() override { fs::remove_all(root_); }

  fs::path add(const std::string& place, const labreport::Run& run) {
    runs_.push_back(keep_run(root_, place, run));
    return runs_.back();
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("labreport-write-up-" + std::to_string(getpid()));
  std::vector<fs::path> runs_;
};

TEST_F(WriteUpChoice, PrefersARunToANewerOneForAReasonThatItTells) {
  const std::tuple<labreport::Run, labreport::Run, const char*> cases[] = {
      {run_of_users_model(), full_run(), "measures your code"},
      {quick_run(), run_on_cpu(), "ran on a GPU"},
      {full_run(), quick_run(), "has the full preset"},
      {full_run(), run_of_one_part(), "answers more parts"},
      {full_run(), run_without_forward(), "has more measurements"}};
  int number = 0;
  for (const auto& [better, newer, reason] : cases) {
    const std::string place = "gpu-" + std::to_string(++number) + "/2025/";
    runs_.clear();
    const fs::path wanted = add(place + "1-a", better);
    const fs::path other = add(place + "2-a", newer);
    const WriteUp write_up = choose_users_write_up(runs_, "");
    EXPECT_THAT(write_up.folders(), ElementsAre(wanted)) << reason;
    EXPECT_THAT(write_up.not_taken, ElementsAre("benchmarking_script of " + other.string() + ": " +
                                                wanted.string() + " " + reason));
  }
}

TEST_F(WriteUpChoice, PrefersTheNewerOfTwoEqualRuns) {
  add("h200/2025/1-a", full_run());
  const fs::path newer = add("h100/2025/2-a", full_run());
  EXPECT_THAT(choose_users_write_up(runs_, "").folders(), ElementsAre(newer));
}

TEST_F(WriteUpChoice, TellsWhichProblemsMeasuredTheUsersCode) {
  add("h200/2025/1-a", run_of_users_model());
  const WriteUpRun run = choose_users_write_up(runs_, "").runs.front();
  EXPECT_THAT(run.problems, ElementsAre("benchmarking_script"));
  EXPECT_EQ(run.own_code, run.problems);
}

TEST_F(WriteUpChoice, IsOfTheNewestRunsEditionOrOfTheGivenOne) {
  labreport::Run of_2026 = full_run();
  of_2026.edition = "2026";
  const fs::path older = add("h200/2026/1-a", of_2026);
  const fs::path newer = add("h200/2025/2-a", full_run());
  const WriteUp write_up = choose_users_write_up(runs_, "");
  EXPECT_EQ(write_up.edition, "2025");
  EXPECT_THAT(write_up.folders(), ElementsAre(newer));
  EXPECT_THAT(write_up.not_taken,
              ElementsAre(older.string() + ": it is of the 2026 edition; --edition 2026 takes it"));
  EXPECT_THAT(choose_users_write_up(runs_, "2026").folders(), ElementsAre(older));
  EXPECT_THROW(choose_write_up(runs_, ""), InputError);
  EXPECT_THROW(choose_write_up({older}, "2025"), InputError);
}

TEST_F(WriteUpChoice, TakesAShippedRunOnlyIfItIsNamedOrTheUserHasNone) {
  const fs::path shipped = add("h200/2025/2-a", full_run());
  write_atomically(shipped / "reference", "");
  EXPECT_THAT(choose_users_write_up(runs_, "").folders(), ElementsAre(shipped));
  EXPECT_THROW(choose_users_write_up(runs_, "2026"), InputError);
  const fs::path own = add("h100/2025/1-a", quick_run());
  EXPECT_THAT(choose_users_write_up(runs_, "").folders(), ElementsAre(own));
  EXPECT_THAT(choose_users_write_up(runs_, "").not_taken, IsEmpty());
  EXPECT_THAT(choose_write_up({shipped, own}, "").folders(), ElementsAre(shipped));
}

TEST_F(WriteUpChoice, OfNamedRunsTheFirstGivesAProblem) {
  const fs::path on_cpu = add("cpu/2025/1-a", run_on_cpu());
  const fs::path on_gpu = add("h200/2025/2-a", full_run());
  const WriteUp write_up = choose_write_up({on_cpu, on_gpu}, "");
  EXPECT_THAT(write_up.folders(), ElementsAre(on_cpu));
  EXPECT_THAT(write_up.not_taken, ElementsAre(HasSubstr("is named first")));
}

TEST_F(WriteUpChoice, LeavesOutARunThatFailedOrCannotBeRead) {
  const fs::path worked = add("h200/2025/1-a", quick_run());
  labreport::Run failed_run = full_run();
  for (Cell& cell : failed_run.cells) {
    for (Launch& launch : cell.launches) {
      launch.outcome = Failed{"no luck"};
      launch.metrics.clear();
    }
  }
  const fs::path failed = add("h200/2025/2-a", failed_run);
  const fs::path broken = add("h200/2025/3-a", full_run());
  write_atomically(broken / "run.json", "{");
  const WriteUp write_up = choose_users_write_up(runs_, "");
  EXPECT_THAT(write_up.folders(), ElementsAre(worked));
  EXPECT_THAT(write_up.not_taken,
              ElementsAre(HasSubstr(broken.string()),
                          failed.string() + ": most of its measurements failed"));
}

}  // namespace
}  // namespace labreport::write_up_test
