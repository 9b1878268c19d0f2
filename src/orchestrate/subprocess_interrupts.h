// Holds interrupts back until files are in a consistent state.
#pragma once

#include <array>
#include <csignal>

namespace labreport {

/// Signals that ask this program to end.
inline constexpr std::array<int, 3> kInterrupts{SIGINT, SIGTERM, SIGHUP};

/// Blocks interrupts while the object lives; only `throw_if_interrupted` reports them. Signals that
/// arrive after its last call are dropped.
class HeldInterrupts {
 public:
  HeldInterrupts();
  ~HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

  /// Throws `Interrupted` if an interrupt has arrived.
  static void throw_if_interrupted();

 private:
  sigset_t former_mask_{};
};

/// Tells `HeldInterrupts::throw_if_interrupted` of an interrupt that `Subprocesses` has read while
/// a child ran.
void remember_interrupt();

/// Returns the interrupts that this process does not ignore; under nohup it ignores SIGHUP.
sigset_t unignored_interrupts();

}  // namespace labreport
