// Kills the program at every moment of resuming an interrupted run: the run can always be resumed
// again.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "orchestrate/run_folder.h"
#include "results/run_json.h"
#include "results/sample.h"

namespace labreport::resume_death_test {
namespace {

namespace fs = std::filesystem;

/// Calls `act` in a process that is killed when it enters or leaves its `stop`-th system call;
/// false if it ended before.
bool dies_at(int stop, const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int i = 0; i < stop && WIFSTOPPED(status); ++i) {
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
  }
  if (!WIFSTOPPED(status)) return false;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return true;
}

class ResumeDeath : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }

  /// Leaves an interrupted run: results and failures of a cell mixed, each in its own file.
  static void leave_interrupted_run(const fs::path& folder) {
    const labreport::Run all = testing_samples::sample_run();
    labreport::Run begun = all;
    begun.devices.clear();
    for (Cell& cell : begun.cells) cell.launches.clear();
    const RunStore store(folder);
    store.create(begun);
    for (const Cell& cell : all.cells) {
      for (std::size_t i = 0; i < cell.launches.size(); ++i) {
        store.save_launch(all, cell, static_cast<std::int64_t>(i));
      }
    }
  }

  /// The folder that `--resume` continues.
  std::unique_ptr<RunFolder> taken_up() const {
    const Session session = testing_samples::sample_run().sessions.front();
    const Surroundings now{
        "2025", "demo", session.revision, false, "2.11.0", "", {}, session.model->implementation};
    return RunFolder::resume(root_ / "run", now, session);
  }

  /// The measured cells as JSON.
  static std::string cells(labreport::Run run) {
    run.sessions.resize(1);
    return to_json(run);
  }

  // Uses memory if possible, because every moment costs a run and its syncs.
  const fs::path memory_ = "/dev/shm";
  const fs::path root_ = (fs::exists(memory_) ? memory_ : fs::path(testing::TempDir())) /
                         ("resume-death-" + std::to_string(getpid()));
};

TEST_F(ResumeDeath, AnywhereLosesAndDoublesNothing) {
  leave_interrupted_run(root_ / "run");
  const std::string undisturbed = cells(taken_up()->run());
  int stop = 1;
  for (bool died = true; died; ++stop) {
    fs::remove_all(root_);
    leave_interrupted_run(root_ / "run");
    died = dies_at(stop, [&] { taken_up(); });
    ASSERT_EQ(cells(taken_up()->run()), undisturbed) << "died at stop " << stop;
  }
  EXPECT_GT(stop, 50) << "that many moments were tried";
}

}  // namespace
}  // namespace labreport::resume_death_test
