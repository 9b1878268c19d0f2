#include "orchestrate/subprocess_child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"

namespace labreport {
namespace {

/// The child's exit status tells the parent how to read its text.
enum : int { kTextIsResult, kTextIsRefusal, kOutOfMemory };

void set_limit(__rlimit_resource resource, std::int64_t max_value) {
  const rlimit soft_and_hard{static_cast<rlim_t>(max_value), static_cast<rlim_t>(max_value)};
  setrlimit(resource, &soft_and_hard);
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, const ChildLimits& limits,
                                int write_end) {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_DATA, limits.bytes);
  alarm(static_cast<unsigned>(limits.seconds));
  int status = kTextIsResult;
  try {
    write_all(write_end, work());
  } catch (const InputError& error) {
    write_all(write_end, error.what());
    status = kTextIsRefusal;
  } catch (const std::bad_alloc&) {
    status = kOutOfMemory;
  }
  _exit(status);
}

std::string read_to_end(int read_end) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t bytes = read(read_end, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace

std::string text_from_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category());
  if (child == 0) work_in_child(work, limits, pipe[1]);
  close(pipe[1]);
  const std::string text = read_to_end(pipe[0]);
  close(pipe[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    throw InputError(fmt::format("ended after {} s", limits.seconds), "ask for less");
  }
  if (WIFSIGNALED(status)) throw Error(fmt::format("ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) == kTextIsRefusal) throw InputError(text);
  if (WEXITSTATUS(status) == kOutOfMemory) throw InputError("out of memory", "ask for less");
  return text;
}

}  // namespace labreport
