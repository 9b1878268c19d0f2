// Child processes: the only owner of fork, exec, wait and signals.
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
  std::optional<std::map<std::string, std::string>> environment;  ///< Absent: this process's own.
  std::filesystem::path folder;                                   ///< Empty: the current one.
  std::vector<int> cores;                                         ///< Empty: any.
  bool keep_output = false;      ///< Whether stdout is kept; it goes nowhere otherwise.
  double limit_seconds = 0;      ///< 0: no limit.
  std::int64_t limit_bytes = 0;  ///< Of memory that a process may write to; 0: no limit.
};

/// How a child ended.
struct Ended {
  int exit_status = 0;
  int signal = 0;          ///< 0: it exited by itself.
  bool timed_out = false;  ///< It was ended because its time was over.
  std::int64_t wall_ns = 0;
  std::int64_t peak_bytes = 0;  ///< Most host memory at a time.
  std::string output;           ///< stdout, if kept; bounded like `messages`.
  std::string messages;         ///< stderr: beginning and end.

  bool ok() const { return signal == 0 && exit_status == 0; }
};

/// This process's environment.
std::map<std::string, std::string> current_environment();

/// Children, each in a process group of its own. What a child started ends with it, in whatever
/// group or session, and no child outlives this process. While it lives, SIGINT, SIGTERM and SIGHUP
/// are noticed by `wait` instead of ending the process.
class Subprocesses {
 public:
  using Ticket = int;

  Subprocesses();
  ~Subprocesses();  ///< Kills what still runs.
  Subprocesses(const Subprocesses&) = delete;
  Subprocesses& operator=(const Subprocesses&) = delete;

  /// Only for the process's first thread, whose end is the process's: a child dies with the thread
  /// that started it. Throws `InputError` when the program cannot be started.
  Ticket start(const Command& command);

  /// Blocks until a child has ended (and returns it), a first interrupt arrives, or `tick` is over
  /// (and returns nothing). A child past its limit gets SIGTERM, and SIGKILL after two seconds.
  std::optional<std::pair<Ticket, Ended>> wait(
      std::optional<std::chrono::milliseconds> tick = std::nullopt);

  bool interrupted() const { return interrupted_; }
  std::size_t running() const { return children_.size(); }

  /// Asks every child to end, as at its limit; a second interrupt kills at once.
  void stop();

  /// The same of one child, unless it ends by itself within `grace`. One that has ended is no
  /// mistake.
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

/// One child from start to end; an interrupt stops it and is thrown as `Interrupted`.
Ended run_to_end(const Command& command);

/// From now on a write beyond `ulimit -f` fails with a reason, here and in children, instead of
/// ending the process without a word.
void tell_size_limits_as_errors();

}  // namespace labreport
