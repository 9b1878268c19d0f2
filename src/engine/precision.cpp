#include "engine/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "engine/device.h"

namespace labreport {

std::optional<c10::ScalarType> autocast_dtype(Precision precision) {
  if (precision == Precision::kBf16) return c10::ScalarType::BFloat16;
  if (precision == Precision::kFp16) return c10::ScalarType::Half;
  return std::nullopt;
}

void set_tf32(Precision precision) {
  const bool on = precision == Precision::kTf32;
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

namespace {

void apply_autocast_state(const AutocastState& state) {
  at::autocast::set_autocast_enabled(state.device, state.enabled);
  at::autocast::set_autocast_dtype(state.device, state.dtype);
  at::autocast::set_autocast_cache_enabled(state.cache_enabled);
}

}  // namespace

AutocastState autocast_state(c10::DeviceType device) {
  return {device, at::autocast::get_autocast_dtype(device),
          at::autocast::is_autocast_enabled(device), at::autocast::is_autocast_cache_enabled()};
}

AutocastScope::AutocastScope(Precision precision, DeviceKind device) {
  const auto dtype = autocast_dtype(precision);
  if (dtype) enter({torch_device(device).type(), *dtype, /*enabled=*/true, /*cache_enabled=*/true});
}

AutocastScope::AutocastScope(const AutocastState& state) { enter(state); }

void AutocastScope::enter(const AutocastState& state) {
  previous_state_ = autocast_state(state.device);
  apply_autocast_state(state);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!previous_state_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  apply_autocast_state(*previous_state_);
}

}  // namespace labreport
