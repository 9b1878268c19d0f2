#include "orchestrate/subprocess.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/machine.h"

namespace labreport::subprocess_test {
namespace {

using namespace std::chrono_literals;

Command shell(const std::string& script) {
  Command command;
  command.argv = {"sh", "-c", script};
  return command;
}

bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

bool becomes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 300; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(Subprocess, TellsStatusOutputAndMessages) {
  Command command = shell("echo data; echo words >&2; exit 7");
  command.keep_output = true;
  const CompletedProcess process = run_to_end(command);
  EXPECT_EQ(process.exit_status, 7);
  EXPECT_EQ(process.signal, 0);
  EXPECT_FALSE(process.ok());
  EXPECT_EQ(process.output, "data\n");
  EXPECT_EQ(process.messages, "words\n");
  EXPECT_GT(process.wall_ns, 0);
  EXPECT_GT(process.peak_bytes, 0);
}

TEST(Subprocess, TellsTheSignalThatKilledIt) {
  const CompletedProcess process = run_to_end(shell("kill -SEGV $$"));
  EXPECT_EQ(process.signal, SIGSEGV);
  EXPECT_FALSE(process.timed_out);
}

TEST(Subprocess, HasExactlyTheEnvironmentFolderAndCoresGiven) {
  Command command = shell("echo \"$ONLY|$HOME|$(pwd)|$(nproc)\"");
  command.environment = {{"ONLY", "this"}, {"PATH", "/usr/bin:/bin"}};
  command.folder = "/";
  command.cores = {usable_cores().front()};
  command.keep_output = true;
  EXPECT_EQ(run_to_end(command).output, "this||/|1\n");
}

TEST(Subprocess, ReadsNothing) { EXPECT_TRUE(run_to_end(shell("! read line")).ok()); }

TEST(Subprocess, EndsWithSigtermAtItsLimit) {
  Command command = shell("exec sleep 60");
  command.limit_seconds = 0.1;
  const CompletedProcess process = run_to_end(command);
  EXPECT_TRUE(process.timed_out);
  EXPECT_EQ(process.signal, SIGTERM);
  EXPECT_LT(process.wall_ns, 30'000'000'000) << "not when it would have ended by itself";
}

TEST(Subprocess, IsKilledWhenItIgnoresSigterm) {
  Command command = shell("trap '' TERM; while :; do sleep 0.1; done");
  command.limit_seconds = 2;  // time to set the trap
  const CompletedProcess process = run_to_end(command);
  EXPECT_TRUE(process.timed_out);
  EXPECT_EQ(process.signal, SIGKILL);
}

TEST(Subprocess, EndlessMessagesNeitherBlockItNorFillMemory) {
  const CompletedProcess process =
      run_to_end(shell("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo end >&2"));
  EXPECT_TRUE(process.ok());
  EXPECT_LT(process.messages.size(), 200'000u);
  EXPECT_TRUE(process.messages.ends_with("end\n"));
}

TEST(Subprocess, EndsItsOwnChildren) {
  Command command = shell("sleep 60 & echo $!; exit 0");
  command.keep_output = true;
  const CompletedProcess process = run_to_end(command);
  const pid_t grandchild = std::stoi(process.output);
  EXPECT_TRUE(becomes_true([&] { return !is_alive(grandchild); }));
}

TEST(Subprocess, EndsChildrenInSessionsOfTheirOwn) {
  for (const char* script : {"setsid sleep 60 & echo $!", "(setsid sleep 60 & echo $!)",
                             "setsid sh -c 'echo $$; setsid sleep 60 & sleep 60' & sleep 0.3"}) {
    Command command = shell(script);
    command.keep_output = true;
    const CompletedProcess process = run_to_end(command);
    EXPECT_FALSE(is_alive(std::stoi(process.output))) << script;
  }
}

TEST(Subprocess, SparesProcessesOfAnotherChild) {
  Subprocesses processes;
  const auto folder =
      std::filesystem::temp_directory_path() / ("labreport-orphans-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Command command = shell(
      "(setsid sleep 60 & echo $! > pid); while ! [ -e over ]; do sleep 0.01; done; "
      "kill -0 $(cat pid)");
  command.folder = folder;
  processes.start(command);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(folder / "pid"); }));
  EXPECT_TRUE(run_to_end(shell("exit 0")).ok());
  std::ofstream(folder / "over") << "";
  EXPECT_EQ(processes.wait()->second.exit_status, 0);
  std::filesystem::remove_all(folder);
}

TEST(Subprocess, ClosedMessagesDoNotSpin) {
  const auto before = std::clock();
  run_to_end(shell("exec 2>&-; sleep 2"));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 1);
}

TEST(Subprocess, RefusesAProgramThatIsNotThere) {
  Command command;
  command.argv = {"/nowhere/worker"};
  try {
    run_to_end(command);
    FAIL() << "started";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cannot start /nowhere/worker: No such file or directory");
  }
}

TEST(Subprocesses, WaitTellsWhichOneEnded) {
  Subprocesses processes;
  const auto slow = processes.start(shell("sleep 0.4"));
  const auto fast = processes.start(shell("exit 3"));
  const auto first = processes.wait();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->first, fast);
  EXPECT_EQ(first->second.exit_status, 3);
  EXPECT_FALSE(processes.wait(10ms)) << "a tick, nothing ended";
  const auto second = processes.wait();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->first, slow);
  EXPECT_EQ(processes.running_count(), 0u);
  EXPECT_FALSE(processes.wait()) << "nothing is left to wait for";
}

TEST(Subprocesses, AnInterruptIsNoticedAndDoesNotReachTheChildrenByItself) {
  Subprocesses processes;
  processes.start(shell("exec sleep 60"));
  kill(getpid(), SIGINT);
  EXPECT_FALSE(processes.wait());
  EXPECT_TRUE(processes.interrupted());
  EXPECT_EQ(processes.running_count(), 1u);
  processes.stop_all();
  const auto process = processes.wait();
  ASSERT_TRUE(process);
  EXPECT_EQ(process->second.signal, SIGTERM);
}

TEST(Subprocesses, ASecondInterruptKillsAtOnce) {
  const auto ready = std::filesystem::temp_directory_path() / "labreport-subprocess-ready";
  std::filesystem::remove(ready);
  Subprocesses processes;
  processes.start(shell("trap '' TERM; : > " + ready.string() + "; while :; do sleep 0.1; done"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::remove(ready); }));
  kill(getpid(), SIGTERM);
  EXPECT_FALSE(processes.wait());
  processes.stop_all();
  kill(getpid(), SIGINT);
  const auto process = processes.wait();
  ASSERT_TRUE(process);
  EXPECT_EQ(process->second.signal, SIGKILL);
  EXPECT_LT(process->second.wall_ns, 1'500'000'000);
}

TEST(Subprocess, CannotExceedItsMemoryLimit) {
  Command command;
  command.argv = {"python3", "-c", "len(bytearray(300 << 20))"};
  EXPECT_TRUE(run_to_end(command).ok());
  command.limit_bytes = 200 << 20;
  EXPECT_FALSE(run_to_end(command).ok());
}

TEST(Subprocesses, AreStartedByTheFirstThreadAlone) {
  std::thread([] {
    EXPECT_THROW(run_to_end(shell("true")), Error) << "it would die with this thread";
  }).join();
}

TEST(Subprocesses, NoneOutlivesTheObject) {
  const auto pid_file = std::filesystem::temp_directory_path() / "labreport-subprocess-pid";
  pid_t pid = 0;
  {
    Subprocesses processes;
    processes.start(shell("echo $$ > " + pid_file.string() + "; exec sleep 60"));
    ASSERT_TRUE(becomes_true([&] { return std::ifstream(pid_file) >> pid && pid > 0; }));
  }
  EXPECT_FALSE(is_alive(pid));
  std::filesystem::remove(pid_file);
}

// A child of this test imitates the front end, so that it can be killed.
TEST(Subprocesses, NoneOutlivesTheProcess) {
  const auto pid_file = std::filesystem::temp_directory_path() / "labreport-orphan-pid";
  std::filesystem::remove(pid_file);
  const pid_t front_end = fork();
  if (front_end == 0) {
    Subprocesses processes;
    processes.start(shell("echo $$ > " + pid_file.string() + "; exec sleep 60"));
    processes.wait();
    _exit(0);
  }
  pid_t worker = 0;
  ASSERT_TRUE(becomes_true([&] { return std::ifstream(pid_file) >> worker && worker > 0; }));
  kill(front_end, SIGKILL);
  waitpid(front_end, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] {
    std::ifstream status("/proc/" + std::to_string(worker) + "/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    return text.empty() || text.find("Z (zombie)") != std::string::npos;
  }));
  std::filesystem::remove(pid_file);
}

}  // namespace
}  // namespace labreport::subprocess_test
