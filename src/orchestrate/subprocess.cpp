#include "orchestrate/subprocess.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "orchestrate/subprocess_interrupts.h"
#include "orchestrate/subprocess_spawn.h"

namespace labreport {
namespace {

constexpr std::chrono::seconds kKillGrace{2};

/// Reads the pipe's bytes. Closes a pipe at its end, because poll() would report it for ever.
void read_available(int& fd, Capture& capture) {
  std::array<char, 64 << 10> buffer;
  // The loop is bounded, so that a child that never stops writing does not hold up the others.
  for (int i = 0; fd >= 0 && i < 16; ++i) {
    const ssize_t bytes = read(fd, buffer.data(), buffer.size());
    if (bytes == 0) close_if_open(fd);
    if (bytes <= 0) return;
    capture.append({buffer.data(), static_cast<std::size_t>(bytes)});
  }
}

/// The processes that any `Subprocesses` object has started and not yet reaped.
std::set<pid_t> started_children;

/// Returns the parent's id, or 0 if the process is gone. The file holds "1234 (any name) S 1 …", in
/// which the parent follows the state.
pid_t parent_of(const std::filesystem::path& process) {
  std::array<char, 512> buffer;
  std::ifstream file(process / "stat");
  // If the process ends meanwhile, read() sets only badbit; an istreambuf_iterator would throw.
  file.read(buffer.data(), buffer.size());
  const std::string_view text(buffer.data(), static_cast<std::size_t>(file.gcount()));
  const std::size_t name_end = text.rfind(") ");
  if (name_end == text.npos || text.size() < name_end + 4) return 0;
  return leading_number<pid_t>(text.substr(name_end + 4)).value_or(0);
}

/// Returns the descendants whose parent has ended: children that this process did not start.
std::vector<pid_t> orphans() {
  std::vector<pid_t> found;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator entry("/proc", error); !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    const auto pid = parse_number<pid_t>(name);
    if (!pid || started_children.contains(*pid)) continue;
    if (parent_of(entry->path()) == getpid()) found.push_back(*pid);
  }
  return found;
}

/// Kills the orphans and their descendants; gives up after `kKillGrace`.
void end_orphans() {
  const auto deadline = std::chrono::steady_clock::now() + kKillGrace;
  for (std::vector<pid_t> remaining; !(remaining = orphans()).empty();) {
    for (const pid_t pid : remaining) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, WNOHANG);
    }
    if (std::chrono::steady_clock::now() > deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

struct Subprocesses::Child {
  SpawnedProcess process;
  Capture captured_output{32 << 20, 0};
  Capture captured_messages;
  Clock::time_point started;
  std::optional<Clock::time_point> limit_at;
  std::optional<Clock::time_point> stop_at;
  std::optional<Clock::time_point> kill_at;
  bool timed_out = false;
};

Subprocesses::Subprocesses() {
  sigset_t watched_signals = unignored_interrupts();
  std::signal(SIGCHLD, SIG_DFL);  // If it were ignored, children would end without a status.
  sigaddset(&watched_signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &watched_signals, &former_mask_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal_fd_ = signalfd(-1, &watched_signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

Subprocesses::~Subprocesses() {
  for (auto& [ticket, child] : children_) {
    signal_then_kill(*child, SIGKILL);
    waitpid(child->process.pid, nullptr, 0);
    started_children.erase(child->process.pid);
    close_if_open(child->process.output_fd);
    close_if_open(child->process.messages_fd);
  }
  end_orphans();
  read_signals();
  close_if_open(signal_fd_);
  sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
}

Subprocesses::Ticket Subprocesses::start(const Command& command) {
  auto owned_child = std::make_unique<Child>();
  Child& child = *owned_child;
  sigset_t mask = former_mask_;
  for (const int signal : kInterrupts) sigdelset(&mask, signal);  // SIGTERM must end a child.
  child.process = spawn(command, mask);
  started_children.insert(child.process.pid);
  child.started = Clock::now();
  if (command.limit_seconds > 0) {
    child.limit_at = child.started + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(command.limit_seconds));
  }
  children_.emplace(next_ticket_, std::move(owned_child));
  return next_ticket_++;
}

/// The child is not yet reaped, so its pid names no other process group.
void Subprocesses::signal_then_kill(Child& child, int signal) {
  kill(-child.process.pid, signal);
  if (!child.kill_at) child.kill_at = Clock::now() + kKillGrace;
}

void Subprocesses::drain(Child& child) {
  read_available(child.process.output_fd, child.captured_output);
  read_available(child.process.messages_fd, child.captured_messages);
}

std::optional<CompletedProcess> Subprocesses::reap(Child& child) {
  siginfo_t information{};
  const auto id = static_cast<id_t>(child.process.pid);
  if (waitid(P_PID, id, &information, WEXITED | WNOHANG | WNOWAIT) != 0) return std::nullopt;
  if (information.si_pid == 0) return std::nullopt;
  CompletedProcess completed;
  completed.wall_ns = std::chrono::nanoseconds(Clock::now() - child.started).count();
  signal_then_kill(child, SIGKILL);  // ends what the child leaves behind
  drain(child);
  int status = 0;
  rusage usage{};
  wait4(child.process.pid, &status, 0, &usage);
  started_children.erase(child.process.pid);
  end_orphans();
  completed.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  completed.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  completed.timed_out = child.timed_out;
  completed.peak_bytes = usage.ru_maxrss * 1024;
  completed.output = child.captured_output.text();
  completed.messages = child.captured_messages.text();
  close_if_open(child.process.output_fd);
  close_if_open(child.process.messages_fd);
  return completed;
}

void Subprocesses::enforce_limits(Clock::time_point now) {
  for (auto& [ticket, child] : children_) {
    if (child->kill_at && now >= *child->kill_at) {
      kill(-child->process.pid, SIGKILL);
      child->kill_at = now + kKillGrace;
    }
    if (child->stop_at && now >= *child->stop_at) {
      child->stop_at.reset();
      signal_then_kill(*child, SIGTERM);
    }
    if (!child->limit_at || now < *child->limit_at) continue;
    child->limit_at.reset();
    child->timed_out = true;
    signal_then_kill(*child, SIGTERM);
  }
}

void Subprocesses::read_signals() {
  signalfd_siginfo information{};
  while (read(signal_fd_, &information, sizeof information) == sizeof information) {
    if (information.ssi_signo == SIGCHLD) continue;
    if (interrupted_) {
      for (auto& [ticket, child] : children_) signal_then_kill(*child, SIGKILL);
    }
    interrupted_ = true;
    remember_interrupt();
  }
}

void Subprocesses::poll_until(std::optional<Clock::time_point> deadline) {
  std::vector<pollfd> poll_fds{{signal_fd_, POLLIN, 0}};
  for (const auto& [ticket, child] : children_) {
    for (const auto& moment : {child->limit_at, child->stop_at, child->kill_at}) {
      if (moment) deadline = std::min(deadline.value_or(*moment), *moment);
    }
    for (const int fd : {child->process.output_fd, child->process.messages_fd}) {
      if (fd >= 0) poll_fds.push_back({fd, POLLIN, 0});
    }
  }
  int milliseconds = -1;
  if (deadline) {
    const auto remaining = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(remaining.count(), 0, 1 << 30));
  }
  poll(poll_fds.data(), poll_fds.size(), milliseconds);
}

std::optional<std::pair<Subprocesses::Ticket, CompletedProcess>> Subprocesses::wait(
    std::optional<std::chrono::milliseconds> timeout) {
  std::optional<Clock::time_point> deadline;
  if (timeout) deadline = Clock::now() + *timeout;
  const bool was_interrupted = interrupted_;
  for (;;) {
    read_signals();
    for (auto& [ticket, child] : children_) {
      drain(*child);
      if (auto completed = reap(*child)) {
        const Ticket ended_ticket = ticket;
        children_.erase(ended_ticket);
        return std::pair(ended_ticket, std::move(*completed));
      }
    }
    if (interrupted_ != was_interrupted || (deadline && Clock::now() >= *deadline))
      return std::nullopt;
    if (children_.empty() && !deadline) return std::nullopt;
    enforce_limits(Clock::now());
    poll_until(deadline);
  }
}

void Subprocesses::stop_all() {
  for (auto& [ticket, child] : children_) signal_then_kill(*child, SIGTERM);
}

void Subprocesses::stop_after(Ticket ticket, std::chrono::milliseconds grace) {
  const auto found = children_.find(ticket);
  if (found != children_.end()) found->second->stop_at = Clock::now() + grace;
}

void report_file_size_limit_as_error() { std::signal(SIGXFSZ, SIG_IGN); }

CompletedProcess run_to_end(const Command& command) {
  Subprocesses processes;
  processes.start(command);
  bool is_stopping = false;
  for (;;) {
    if (auto completed = processes.wait()) {
      if (processes.interrupted()) throw Interrupted();
      return std::move(completed->second);
    }
    if (processes.interrupted() && !std::exchange(is_stopping, true)) processes.stop_all();
  }
}

}  // namespace labreport
