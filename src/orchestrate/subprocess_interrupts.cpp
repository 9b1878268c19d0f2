#include "orchestrate/subprocess_interrupts.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "base/error.h"

namespace labreport {
namespace {

/// Subprocesses has read the interrupt, so the system will not report it again.
std::atomic<bool> interrupt_taken = false;

bool is_ignored(int signal) {
  struct sigaction action{};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t heeded_interrupts() {
  sigset_t heeded;
  sigemptyset(&heeded);
  for (const int signal : kInterrupts) {
    if (!is_ignored(signal)) sigaddset(&heeded, signal);
  }
  return heeded;
}

void remember_interrupt() { interrupt_taken = true; }

HeldInterrupts::HeldInterrupts() {
  interrupt_taken = false;
  const sigset_t heeded = heeded_interrupts();
  sigprocmask(SIG_BLOCK, &heeded, &former_mask_);
}

HeldInterrupts::~HeldInterrupts() {
  const sigset_t heeded = heeded_interrupts();
  const timespec at_once{};
  while (sigtimedwait(&heeded, nullptr, &at_once) > 0) continue;
  sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
}

void HeldInterrupts::check() {
  sigset_t pending;
  sigpending(&pending);
  const bool waiting = std::ranges::any_of(kInterrupts, [&](int signal) {
    return !is_ignored(signal) && sigismember(&pending, signal) == 1;
  });
  if (interrupt_taken || waiting) throw Interrupted();
}

}  // namespace labreport
