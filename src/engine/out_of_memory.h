// Recognizes allocations that failed for lack of memory and turns them into outcomes.
#pragma once

#include <exception>
#include <optional>

#include "results/cell.h"
#include "results/outcome.h"

namespace labreport {

/// Records each failed allocation of the GPU from now on, before unwinding frees the memory in use.
/// Call this once, after `start_device`; it does nothing for a CPU.
void watch_out_of_memory(DeviceKind kind);

/// Returns the failed allocation if `error` is an out-of-memory error of LibTorch, CUDA or the
/// host; empty for any other error.
std::optional<OutOfMemory> as_out_of_memory(const std::exception& error);

/// Runs `work` and returns the allocation that failed, if one did. Other errors pass through.
template <typename Work>
std::optional<OutOfMemory> catch_out_of_memory(const Work& work) try {
  work();
  return std::nullopt;
} catch (const std::exception& error) {
  const auto failure = as_out_of_memory(error);
  if (!failure) throw;
  return failure;
}

}  // namespace labreport
