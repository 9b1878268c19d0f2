// An allocation that failed for want of memory: seen where it happens, told as an outcome.
#pragma once

#include <exception>
#include <optional>

#include "results/cell.h"
#include "results/outcome.h"

namespace labreport {

/// From now on remembers each allocation that fails, before unwinding frees what was in use.
/// Call once, after `start_device`.
void watch_out_of_memory(DeviceKind kind);

/// The allocation that failed, when `error` is an out-of-memory error of LibTorch, CUDA or the
/// host.
std::optional<OutOfMemory> as_out_of_memory(const std::exception& error);

/// The allocation that failed in `work`, if one did. Other errors pass.
template <typename Work>
std::optional<OutOfMemory> out_of_memory_in(const Work& work) try {
  work();
  return std::nullopt;
} catch (const std::exception& error) {
  const auto failure = as_out_of_memory(error);
  if (!failure) throw;
  return failure;
}

}  // namespace labreport
