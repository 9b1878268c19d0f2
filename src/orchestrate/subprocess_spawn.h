// Starts a child process. Only subprocess.cpp calls it; others use `Subprocesses`.
#pragma once

#include <sys/types.h>

#include <csignal>

#include "orchestrate/subprocess.h"

namespace labreport {

struct SpawnedProcess {
  pid_t pid = 0;
  int output_fd = -1;    ///< Non-blocking end of the child's stdout; -1 if stdout is discarded.
  int messages_fd = -1;  ///< Non-blocking end of the child's stderr.
};

/// Starts a child that blocks the signals in `mask`. Throws `InputError` if its program cannot
/// start.
SpawnedProcess spawn(const Command& command, const sigset_t& mask);

void close_if_open(int& fd);

}  // namespace labreport
