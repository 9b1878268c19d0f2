#include "orchestrate/subprocess_child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"

namespace labreport {
namespace {

/// A child's exit status says what its text means.
enum : int { kResult, kRefusal, kNoMemory };

void limit(__rlimit_resource resource, std::int64_t most) {
  const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  setrlimit(resource, &both);
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, const ChildLimits& limits,
                                int pipe) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_DATA, limits.bytes);
  alarm(static_cast<unsigned>(limits.seconds));
  int status = kResult;
  try {
    write_all(pipe, work());
  } catch (const InputError& error) {
    write_all(pipe, error.what());
    status = kRefusal;
  } catch (const std::bad_alloc&) {
    status = kNoMemory;
  }
  _exit(status);
}

std::string read_to_end(int pipe) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t bytes = read(pipe, buffer.data(), buffer.size());
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
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM) {
    throw InputError(fmt::format("ended after {} s", limits.seconds), "ask for less");
  }
  if (WIFSIGNALED(ended)) throw Error(fmt::format("ended by signal {}", WTERMSIG(ended)));
  if (WEXITSTATUS(ended) == kRefusal) throw InputError(text);
  if (WEXITSTATUS(ended) == kNoMemory) throw InputError("out of memory", "ask for less");
  return text;
}

}  // namespace labreport
