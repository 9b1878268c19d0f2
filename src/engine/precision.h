// Precisions: what each sets, for as long as its scope lasts.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "results/cell.h"

namespace labreport {

/// The dtype that autocast casts to; nothing for FP32 and TF32.
std::optional<c10::ScalarType> autocast_dtype(Precision precision);

/// Turns TensorFloat-32 on for kTf32 and off for every other precision, for the whole process,
/// whatever LibTorch's defaults are.
void set_tf32(Precision precision);

/// One thread's autocast for one type of device.
struct AutocastState {
  c10::DeviceType device;
  c10::ScalarType dtype;
  bool enabled;
  bool cache;
};

/// Of the calling thread.
AutocastState autocast_state(c10::DeviceType device);

/// Autocast as `with torch.autocast(...)` does it: casts of weights are cached until the outermost
/// scope ends. Does nothing for FP32 and TF32. The former state returns also on an exception.
class AutocastScope {
 public:
  AutocastScope(Precision precision, DeviceKind device);
  /// As it was elsewhere, be it off: backward may run on a thread of its own.
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  void enter(const AutocastState& state);

  std::optional<AutocastState> former_;
};

}  // namespace labreport
