#include "orchestrate/subprocess_interrupts.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "base/error.h"

namespace labreport {
namespace {

/// True once `Subprocesses` has read an interrupt, which the system then no longer reports as
/// pending.
std::atomic<bool> was_interrupt_read = false;

bool is_ignored(int signal) {
  struct sigaction action{};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t unignored_interrupts() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : kInterrupts) {
    if (!is_ignored(signal)) sigaddset(&interrupts, signal);
  }
  return interrupts;
}

void remember_interrupt() { was_interrupt_read = true; }

HeldInterrupts::HeldInterrupts() {
  was_interrupt_read = false;
  const sigset_t interrupts = unignored_interrupts();
  sigprocmask(SIG_BLOCK, &interrupts, &former_mask_);
}

HeldInterrupts::~HeldInterrupts() {
  const sigset_t interrupts = unignored_interrupts();
  const timespec at_once{};
  while (sigtimedwait(&interrupts, nullptr, &at_once) > 0) continue;
  sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
}

void HeldInterrupts::throw_if_interrupted() {
  sigset_t pending;
  sigpending(&pending);
  const bool is_pending = std::ranges::any_of(kInterrupts, [&](int signal) {
    return !is_ignored(signal) && sigismember(&pending, signal) == 1;
  });
  if (was_interrupt_read || is_pending) throw Interrupted();
}

}  // namespace labreport
