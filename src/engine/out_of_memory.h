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

}  // namespace labreport
