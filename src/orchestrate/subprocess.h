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
  std::vector<std::string> argv;  ///< argv[0]: a path, or a name on PATH.
  std::optional<std::map<std::string, std::string>> environment;  ///< Absent for this process's
                                                                  ///< own.
  std::filesystem::path folder;                                   ///< Empty for the current one.
  std::vector<int> cores;                                         ///< Empty for any.
  bool keep_output = false;      ///< Stores stdout, which is discarded otherwise.
  double limit_seconds = 0;      ///< 0 for no limit.
  std::int64_t limit_bytes = 0;  ///< Writable memory of each process; 0 for no limit.
};

struct Ended {
  int exit_status = 0;
  int signal = 0;          ///< 0 if it exited by itself.
  bool timed_out = false;  ///< True if it was ended at its time limit.
  std::int64_t wall_ns = 0;
  std::int64_t peak_bytes = 0;  ///< Peak of resident host memory.
  std::string output;           ///< stdout, if stored; bounded like `messages`.
  std::string messages;         ///< stderr: beginning and end.

  bool ok() const { return signal == 0 && exit_status == 0; }
};

std::map<std::string, std::string> current_environment();

/// Runs children, each in a process group of its own. All that a child started ends with it, in
/// whatever group or session, and no child outlives this process. While the object lives, `wait`
/// reports SIGINT, SIGTERM and SIGHUP, which do not end the process.
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

  /// Blocks until a child has ended (and returns it), a first interrupt arrives, or `tick` is over
  /// (and returns nothing). Returns nothing at once without children and `tick`. A child past its
  /// limit gets SIGTERM, and SIGKILL after two seconds.
  std::optional<std::pair<Ticket, Ended>> wait(
      std::optional<std::chrono::milliseconds> tick = std::nullopt);

  bool interrupted() const { return interrupted_; }
  std::size_t running() const { return children_.size(); }

  /// Sends every child SIGTERM, and SIGKILL after two seconds; a second interrupt kills at once.
  void stop();

  /// Asks one child to end, unless it ends by itself within `grace`. It may have ended already.
  void stop(Ticket ticket, std::chrono::milliseconds grace);

 private:
  using Clock = std::chrono::steady_clock;
  struct Child;

  void drain(Child& child);
  std::optional<Ended> reap(Child& child);
  void enforce_limits(Clock::time_point now);
  void poll_until(std::optional<Clock::time_point> deadline);
  void read_signals();
  void end(Child& child, int signal);

  int signals_ = -1;  ///< signalfd
  sigset_t former_mask_{};
  bool interrupted_ = false;
  Ticket next_ticket_ = 0;
  std::map<Ticket, std::unique_ptr<Child>> children_;
};

/// Runs one child to its end. An interrupt stops the child and is thrown as `Interrupted`.
Ended run_to_end(const Command& command);

/// Makes a write beyond `ulimit -f` fail with a reason from now on, here and in children, instead
/// of ending the process silently.
void tell_size_limits_as_errors();

}  // namespace labreport
