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

constexpr int kNotStartedStatus = 127;

/// The arguments of exec. They are built before fork, because the child must not allocate memory.
struct ExecArguments {
  std::vector<char*> argv;
  std::vector<std::string> environment_texts;
  std::vector<char*> environment;
  cpu_set_t cores;
};

std::vector<char*> null_terminated(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

ExecArguments prepare_exec(const Command& command) {
  ExecArguments arguments{null_terminated(command.argv), {}, {}, {}};
  if (command.environment) {
    for (const auto& [name, value] : *command.environment) {
      arguments.environment_texts.push_back(name + "=" + value);
    }
    arguments.environment = null_terminated(arguments.environment_texts);
  }
  CPU_ZERO(&arguments.cores);
  for (const int core : command.cores) CPU_SET(core, &arguments.cores);
  return arguments;
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

/// Runs in the child; returns only if something failed, with errno set.
void exec_command(const Command& command, const ExecArguments& arguments, pid_t parent,
                  const sigset_t& mask, int output_fd, int messages_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // Descendants whose parent died become the child's.
  if (getppid() != parent) _exit(kNotStartedStatus);  // The parent had died before prctl.
  const int null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null_device, STDIN_FILENO);
  dup2(output_fd >= 0 ? output_fd : null_device, STDOUT_FILENO);
  dup2(messages_fd, STDERR_FILENO);
  if (!command.cores.empty()) sched_setaffinity(0, sizeof arguments.cores, &arguments.cores);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) return;
  if (command.limit_bytes > 0) {
    // RLIMIT_DATA counts writable memory. RLIMIT_AS would also count reserved addresses, and some
    // programs reserve many.
    const rlimit memory_limit{static_cast<rlim_t>(command.limit_bytes),
                              static_cast<rlim_t>(command.limit_bytes)};
    const rlimit no_core_dump{0, 0};
    setrlimit(RLIMIT_DATA, &memory_limit);
    setrlimit(RLIMIT_CORE, &no_core_dump);
  }
  if (command.environment) environ = const_cast<char**>(arguments.environment.data());
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments.argv[0], arguments.argv.data());
}

/// Waits until exec succeeds, which closes the pipe, or fails. Returns its errno, or 0.
int read_exec_error(int error_fd) {
  int error_number = 0;
  ssize_t bytes = 0;
  while ((bytes = read(error_fd, &error_number, sizeof error_number)) < 0 && errno == EINTR)
    continue;
  return bytes == sizeof error_number ? error_number : 0;
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

SpawnedProcess spawn(const Command& command, const sigset_t& mask) {
  const pid_t parent = getpid();
  // A child gets its parent-death signal when the thread that forked it ends, and only the first
  // thread lives as long as this process.
  if (gettid() != parent) throw Error("a child is started by another thread than the first");
  const ExecArguments arguments = prepare_exec(command);
  Pipe output = command.keep_output ? make_pipe() : Pipe{};
  Pipe messages = make_pipe();
  Pipe exec_error_pipe = make_pipe();
  const pid_t pid = fork();
  if (pid == 0) {
    exec_command(command, arguments, parent, mask, output.write, messages.write);
    const int error = errno;
    [[maybe_unused]] const auto written = write(exec_error_pipe.write, &error, sizeof error);
    _exit(kNotStartedStatus);
  }
  const int fork_error = pid < 0 ? errno : 0;
  if (pid > 0) setpgid(pid, pid);  // The child does so, too, because either may run first.
  for (int* end : {&output.write, &messages.write, &exec_error_pipe.write}) close_if_open(*end);
  const int error_number = fork_error != 0 ? fork_error : read_exec_error(exec_error_pipe.read);
  close_if_open(exec_error_pipe.read);
  for (const int fd : {output.read, messages.read}) {
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  if (error_number == 0) return {pid, output.read, messages.read};
  if (pid > 0) waitpid(pid, nullptr, 0);
  for (int* end : {&output.read, &messages.read}) close_if_open(*end);
  throw InputError("cannot start " + command.argv[0] + ": " + std::strerror(error_number));
}

}  // namespace labreport
