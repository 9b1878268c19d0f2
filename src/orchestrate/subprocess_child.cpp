#include "orchestrate/subprocess_child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/messages.h"

namespace labreport {
namespace {

constexpr int kOutOfMemory = 100;

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

[[noreturn]] void work_in_child(const std::function<ExitStatus()>& work,
                                const ChildLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_DATA, static_cast<rlim_t>(limits.bytes));
  alarm(static_cast<unsigned>(limits.seconds));
  int status = kOutOfMemory;
  try {
    status = static_cast<int>(work());
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    say("labreport: {}\n", error.what());
    status = static_cast<int>(ExitStatus::kBadInput);
  }
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

ExitStatus run_in_child(const std::function<ExitStatus()>& work, const ChildLimits& limits) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) work_in_child(work, limits);
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM) {
    throw InputError(fmt::format("the query was ended after {} s", limits.seconds),
                     "select less, or join by keys");
  }
  if (WIFSIGNALED(ended))
    throw Error(fmt::format("the query was ended by signal {}", WTERMSIG(ended)));
  if (WEXITSTATUS(ended) == kOutOfMemory) {
    throw InputError("the query needs more memory than a query may have",
                     "select less, or join by keys");
  }
  return static_cast<ExitStatus>(WEXITSTATUS(ended));
}

}  // namespace labreport
