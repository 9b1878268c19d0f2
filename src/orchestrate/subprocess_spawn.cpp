#include "orchestrate/subprocess_spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace labreport {
namespace {

constexpr int kNotStarted = 127;

/// The child must not allocate after fork, so everything is prepared before.
struct Prepared {
  std::vector<char*> argv;
  std::vector<std::string> variables;
  std::vector<char*> environment;
  cpu_set_t cores;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

Prepared prepare(const Command& command) {
  Prepared prepared{pointers(command.argv), {}, {}, {}};
  if (command.environment) {
    for (const auto& [name, value] : *command.environment) {
      prepared.variables.push_back(name + "=" + value);
    }
    prepared.environment = pointers(prepared.variables);
  }
  CPU_ZERO(&prepared.cores);
  for (const int core : command.cores) CPU_SET(core, &prepared.cores);
  return prepared;
}

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

/// Runs in the child; returns only when something failed, with errno set.
void become(const Command& command, const Prepared& prepared, pid_t parent, const sigset_t& mask,
            int output, int messages) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);             // keeps the child's orphans below it
  if (getppid() != parent) _exit(kNotStarted);  // the parent died before the line above
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output >= 0 ? output : nothing, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  if (!command.cores.empty()) sched_setaffinity(0, sizeof prepared.cores, &prepared.cores);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) return;
  if (command.limit_bytes > 0) {
    // RLIMIT_DATA counts writable memory. RLIMIT_AS would count reserved addresses, too, of which
    // some programs take many.
    const rlimit most{static_cast<rlim_t>(command.limit_bytes),
                      static_cast<rlim_t>(command.limit_bytes)};
    const rlimit none{0, 0};
    setrlimit(RLIMIT_DATA, &most);
    setrlimit(RLIMIT_CORE, &none);
  }
  if (command.environment) environ = const_cast<char**>(prepared.environment.data());
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(prepared.argv[0], prepared.argv.data());
}

[[noreturn]] void give_up(int report) {
  const int reason = errno;
  [[maybe_unused]] const auto written = write(report, &reason, sizeof reason);
  _exit(kNotStarted);
}

/// Waits until the child has executed its program; returns the reason (errno) if it could not.
int exec_failure(int report) {
  int reason = 0;
  ssize_t bytes = 0;
  while ((bytes = read(report, &reason, sizeof reason)) < 0 && errno == EINTR) continue;
  return bytes == sizeof reason ? reason : 0;
}

}  // namespace

std::map<std::string, std::string> current_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

void close_if_open(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

Spawned spawn(const Command& command, const sigset_t& mask) {
  const pid_t self = getpid();
  // The parent-death signal comes when the thread that forked ends, and the first thread lives
  // longest.
  if (gettid() != self) throw Error("a child is started by another thread than the first");
  const Prepared prepared = prepare(command);
  Pipe output = command.keep_output ? make_pipe() : Pipe{};
  Pipe messages = make_pipe();
  Pipe report = make_pipe();
  const pid_t pid = fork();
  if (pid == 0) {
    become(command, prepared, self, mask, output.write, messages.write);
    give_up(report.write);
  }
  const int fork_failure = pid < 0 ? errno : 0;
  if (pid > 0) setpgid(pid, pid);  // the child does so, too, because either may run first
  for (int* end : {&output.write, &messages.write, &report.write}) close_if_open(*end);
  const int failure = fork_failure != 0 ? fork_failure : exec_failure(report.read);
  close_if_open(report.read);
  for (const int fd : {output.read, messages.read}) {
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  if (failure == 0) return {pid, output.read, messages.read};
  if (pid > 0) waitpid(pid, nullptr, 0);
  for (int* end : {&output.read, &messages.read}) close_if_open(*end);
  throw InputError("cannot start " + command.argv[0] + ": " + std::strerror(failure));
}

}  // namespace labreport
