#include "engine/out_of_memory.h"

#include <c10/util/Exception.h>

#include <mutex>
#include <new>
#include <string>

#include "base/text.h"
#include "engine/allocator.h"
#include "engine/cuda_device.h"
#include "engine/device.h"
#include "engine/phase.h"

namespace labreport {
namespace {

std::mutex failure_mutex;  // backward allocates on autograd's thread
std::optional<OutOfMemory> last_failure;

void record_failure(std::int64_t requested_bytes) {
  OutOfMemory failure{std::string(name(latest_phase())), requested_bytes, {}, {}};
  if (const auto counts = allocator_counts(torch_device(DeviceKind::kCuda))) {
    failure.in_use_bytes = counts->allocated_bytes;
    failure.peak_bytes = counts->peak_allocated_bytes;
    failure.reserved_bytes = counts->reserved_bytes;
  }
  const std::scoped_lock lock(failure_mutex);
  last_failure = failure;
}

/// Reads the requested bytes from the host allocator's message; empty for another message.
std::optional<OutOfMemory> host_out_of_memory(std::string_view message) {
  constexpr std::string_view kMessageStart = "can't allocate memory: you tried to allocate ";
  const std::size_t at = message.find(kMessageStart);
  if (at == std::string_view::npos) return std::nullopt;
  message.remove_prefix(at + kMessageStart.size());
  return OutOfMemory{
      std::string(name(latest_phase())), leading_number<std::int64_t>(message).value_or(0), {}, {}};
}

}  // namespace

void watch_out_of_memory(DeviceKind kind) {
  if (kind == DeviceKind::kCuda) on_cuda_out_of_memory(record_failure);
}

std::optional<OutOfMemory> as_out_of_memory(const std::exception& error) {
  const OutOfMemory size_unknown{std::string(name(latest_phase())), {}, {}, {}};
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error)) {
    const std::scoped_lock lock(failure_mutex);
    return last_failure.value_or(size_unknown);
  }
  const std::string_view message = error.what();
  if (const auto failure = host_out_of_memory(message)) return failure;
  // Libraries allocate device memory themselves, and only their messages tell that none is left.
  const bool device_is_full = message.find("CUDA error: out of memory") != message.npos ||
                              message.find("CUBLAS_STATUS_ALLOC_FAILED") != message.npos;
  if (device_is_full || dynamic_cast<const std::bad_alloc*>(&error)) return size_unknown;
  return std::nullopt;
}

}  // namespace labreport
