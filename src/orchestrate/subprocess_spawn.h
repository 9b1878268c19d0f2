// Starts a child from a command; `subprocess.h` is the interface to use.
#pragma once

#include <sys/types.h>

#include <csignal>

#include "orchestrate/subprocess.h"

namespace labreport {

struct Spawned {
  pid_t pid = 0;
  int output = -1;    ///< Reads the child's stdout, without blocking; -1 if it goes nowhere.
  int messages = -1;  ///< Reads its stderr, without blocking.
};

/// Starts a child with the signal mask `mask`. Throws `InputError` if its program cannot start.
Spawned spawn(const Command& command, const sigset_t& mask);

void close_if_open(int& fd);

}  // namespace labreport
