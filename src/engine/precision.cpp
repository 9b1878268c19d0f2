#include "engine/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "engine/device.h"

namespace labreport {

std::optional<c10::ScalarType> autocast_dtype(Precision precision) {
  switch (precision) {
    case Precision::kBf16:
      return c10::ScalarType::BFloat16;
    case Precision::kFp16:
      return c10::ScalarType::Half;
    case Precision::kFp32:
    case Precision::kTf32:
      return std::nullopt;
  }
  return std::nullopt;
}

void set_tf32(Precision precision) {
  const bool on = precision == Precision::kTf32;
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

AutocastScope::AutocastScope(Precision precision, DeviceKind device) : device_(device) {
  const auto dtype = autocast_dtype(precision);
  if (!dtype) return;
  const c10::DeviceType type = torch_device(device).type();
  former_ = Former{at::autocast::get_autocast_dtype(type), at::autocast::is_autocast_enabled(type),
                   at::autocast::is_autocast_cache_enabled()};
  at::autocast::set_autocast_enabled(type, true);
  at::autocast::set_autocast_dtype(type, *dtype);
  at::autocast::set_autocast_cache_enabled(true);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!former_) return;
  const c10::DeviceType type = torch_device(device_).type();
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(type, former_->enabled);
  at::autocast::set_autocast_dtype(type, former_->dtype);
  at::autocast::set_autocast_cache_enabled(former_->cache);
}

}  // namespace labreport
