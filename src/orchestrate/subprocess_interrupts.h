// Holds interrupts back until nothing is half done.
#pragma once

#include <array>
#include <csignal>

namespace labreport {

/// Signals that ask this program to end.
inline constexpr std::array<int, 3> kInterrupts{SIGINT, SIGTERM, SIGHUP};

/// While the object lives, interrupts end neither the process nor its writing: they wait for
/// `check`. Signals that arrive after the last `check` are dropped.
class HeldInterrupts {
 public:
  HeldInterrupts();
  ~HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

  /// Throws `Interrupted` if an interrupt has come.
  static void check();

 private:
  sigset_t former_mask_{};
};

/// Records an interrupt that `Subprocesses` took while a child ran.
void remember_interrupt();

/// Returns the interrupts that this process does not ignore; under nohup it ignores SIGHUP.
sigset_t heeded_interrupts();

}  // namespace labreport
