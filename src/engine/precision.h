// Settings of each precision, and autocast scopes.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "results/cell.h"

namespace labreport {

/// Returns the dtype that autocast casts to; empty for FP32 and TF32.
std::optional<c10::ScalarType> autocast_dtype(Precision precision);

/// Turns TensorFloat-32 on for kTf32 and off for every other precision, in the whole process,
/// whatever LibTorch's defaults are.
void set_tf32(Precision precision);

/// Autocast settings of one thread for one type of device.
struct AutocastState {
  c10::DeviceType device;
  c10::ScalarType dtype;
  bool enabled, cache_enabled;
};

/// Returns the calling thread's settings.
AutocastState autocast_state(c10::DeviceType device);

/// Applies autocast like `with torch.autocast(...)`: casts of weights are cached until the
/// outermost scope ends. Does nothing for FP32 and TF32. The destructor restores the settings.
class AutocastScope {
 public:
  AutocastScope(Precision precision, DeviceKind device);
  /// Applies `state`, even if autocast is off in it. Backward, which may run on another thread,
  /// thus gets the settings of forward.
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  void enter(const AutocastState& state);

  std::optional<AutocastState> previous_state_;
};

}  // namespace labreport
