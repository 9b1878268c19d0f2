// Kills the program at every system call while it resumes an interrupted run, and tests that the
// run can still be resumed.
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

/// Calls `action` in a process that is killed when it enters or leaves its `stop`-th system call.
/// Returns false if the process ended before.
bool dies_at(int stop, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    action();
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

  /// Leaves an interrupted run in which each launch is still in its own file, results and failures
  /// mixed.
  static void leave_interrupted_run(const fs::path& folder) {
    const labreport::Run complete = testing_samples::sample_run();
    labreport::Run interrupted = complete;
    interrupted.devices.clear();
    for (Cell& cell : interrupted.cells) cell.launches.clear();
    const RunStore store(folder);
    store.create(interrupted);
    for (const Cell& cell : complete.cells) {
      for (std::size_t i = 0; i < cell.launches.size(); ++i) {
        store.save_launch(complete, cell, static_cast<std::int64_t>(i));
      }
    }
  }

  /// Resumes the run as --resume does.
  std::unique_ptr<RunFolder> resume_folder() const {
    const Session session = testing_samples::sample_run().sessions.front();
    const Surroundings now{
        "2025", "demo", session.revision, false, "2.11.0", "", {}, session.model->implementation};
    return RunFolder::resume(root_ / "run", now, session);
  }

  /// Returns the run with its first session only, as JSON.
  static std::string first_session_json(labreport::Run run) {
    run.sessions.resize(1);
    return to_json(run);
  }

  // Uses a folder in memory if possible, because each kill costs a new run with many syncs.
  const fs::path memory_ = "/dev/shm";
  const fs::path root_ = (fs::exists(memory_) ? memory_ : fs::path(testing::TempDir())) /
                         ("resume-death-" + std::to_string(getpid()));
};

TEST_F(ResumeDeath, LosesAndRepeatsNoLaunch) {
  leave_interrupted_run(root_ / "run");
  const std::string undisturbed = first_session_json(resume_folder()->run());
  int stop = 1;
  for (bool died = true; died; ++stop) {
    fs::remove_all(root_);
    leave_interrupted_run(root_ / "run");
    died = dies_at(stop, [&] { resume_folder(); });
    ASSERT_EQ(first_session_json(resume_folder()->run()), undisturbed) << "died at stop " << stop;
  }
  EXPECT_GT(stop, 50) << "that many moments were tried";
}

}  // namespace
}  // namespace labreport::resume_death_test
