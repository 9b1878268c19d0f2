// Precisions: what each sets, for as long as its scope lasts.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "results/cell.h"

namespace labreport {

/// The dtype that autocast casts to; nothing for FP32 and TF32.
std::optional<c10::ScalarType> autocast_dtype(Precision precision);

/// Turns TensorFloat-32 on for kTf32 and off for every other precision, for the whole process,
/// whatever LibTorch's defaults are.
void set_tf32(Precision precision);

/// Autocast as `with torch.autocast(...)` does it: casts of weights are cached until the outermost
/// scope ends. Does nothing for FP32 and TF32. The former state returns also on an exception.
class AutocastScope {
 public:
  AutocastScope(Precision precision, DeviceKind device);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  struct Former {
    c10::ScalarType dtype;
    bool enabled;
    bool cache;
  };
  DeviceKind device_;
  std::optional<Former> former_;
};

}  // namespace labreport
