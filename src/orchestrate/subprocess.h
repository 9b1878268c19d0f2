// Runs other programs as child processes, with limits and interrupts.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrate/capture.h"

namespace labreport {

struct Command {
  std::vector<std::string> argv;  ///< argv[0] is a path, or a name on PATH.
  std::optional<std::map<std::string, std::string>> environment;  ///< If absent, this process's.
  std::filesystem::path folder;  ///< The working folder; empty for this process's own.
  std::vector<int> cores;        ///< The cores that the child may use; empty for all.
  bool keep_output = false;      ///< If false, stdout is discarded.
  double limit_seconds = 0;      ///< Wall time; 0 for no limit.
  std::int64_t limit_bytes = 0;  ///< Writable memory of each process; 0 for no limit.
};

/// How a child process ended, and the text that it wrote.
struct CompletedProcess {
  int exit_status = 0;
  int signal = 0;          ///< The signal that ended it; 0 if it exited by itself.
  bool timed_out = false;  ///< True if it was ended at its time limit.
  std::int64_t wall_ns = 0;
  std::int64_t peak_bytes = 0;  ///< Peak of resident host memory.
  std::string output;           ///< Its stdout up to 32 MiB; empty unless `keep_output`.
  std::string messages;         ///< Its stderr; only the beginning and the end of a long text.

  bool ok() const { return signal == 0 && exit_status == 0; }
};

std::map<std::string, std::string> current_environment();

/// Runs children, each in a process group of its own. When a child ends, all processes that it
/// started are killed, in whatever group or session they are. No child outlives this process. While
/// the object lives, SIGINT, SIGTERM and SIGHUP do not end this process, but `wait` reports them.
class Subprocesses {
 public:
  using Ticket = int;

  Subprocesses();
  ~Subprocesses();  ///< Kills the children that still run.
  Subprocesses(const Subprocesses&) = delete;
  Subprocesses& operator=(const Subprocesses&) = delete;

  /// Starts a child. Only the process's first thread may call it, because a child dies with the
  /// thread that started it. Throws `InputError` if the program cannot be started.
  Ticket start(const Command& command);

  /// Blocks until a child has ended, and returns it. Returns nothing at the first interrupt, after
  /// `timeout`, and at once if there are neither children nor a `timeout`. A child past its time
  /// limit gets SIGTERM, and SIGKILL after two seconds.
  std::optional<std::pair<Ticket, CompletedProcess>> wait(
      std::optional<std::chrono::milliseconds> timeout = std::nullopt);

  bool interrupted() const { return interrupted_; }
  std::size_t running_count() const { return children_.size(); }

  /// Sends every child SIGTERM, and SIGKILL after two seconds; a second interrupt kills at once.
  void stop_all();

  /// Sends one child SIGTERM unless it ends by itself within `grace`. The child may be gone.
  void stop_after(Ticket ticket, std::chrono::milliseconds grace);

 private:
  using Clock = std::chrono::steady_clock;
  struct Child;

  void drain(Child& child);
  std::optional<CompletedProcess> reap(Child& child);
  void enforce_limits(Clock::time_point now);
  void poll_until(std::optional<Clock::time_point> deadline);
  void read_signals();
  void signal_then_kill(Child& child, int signal);

  int signal_fd_ = -1;
  sigset_t former_mask_{};
  bool interrupted_ = false;
  Ticket next_ticket_ = 0;
  std::map<Ticket, std::unique_ptr<Child>> children_;
};

/// Runs one child to its end. An interrupt stops the child and is thrown as `Interrupted`.
CompletedProcess run_to_end(const Command& command);

/// Makes a write beyond `ulimit -f` fail with EFBIG from now on, here and in children. By default
/// SIGXFSZ would end the process silently.
void report_file_size_limit_as_error();

}  // namespace labreport
