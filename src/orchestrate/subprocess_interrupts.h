// Interrupts that wait for a moment at which nothing is half done.
#pragma once

#include <array>
#include <csignal>

namespace labreport {

/// What asks this program to end.
inline constexpr std::array<int, 3> kInterrupts{SIGINT, SIGTERM, SIGHUP};

/// While it lives, interrupts end neither the process nor what it writes: they wait for `check`.
/// Those that come after the last `check` came too late and are forgotten.
class HeldInterrupts {
 public:
  HeldInterrupts();
  ~HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

  /// Throws `Interrupted` where one has come.
  static void check();

 private:
  sigset_t former_mask_{};
};

/// For `Subprocesses`, which takes interrupts while a child runs.
void remember_interrupt();

/// Interrupts that this process does not ignore: under nohup it goes on ignoring them.
sigset_t heeded_interrupts();

}  // namespace labreport
