#include "engine/refusal.h"

#include <c10/util/Exception.h>

#include <mutex>
#include <new>
#include <regex>
#include <string>

#include "engine/allocator.h"
#include "engine/cuda_device.h"
#include "engine/device.h"
#include "engine/phase.h"

namespace labreport {
namespace {

std::mutex refusal_mutex;  // backward asks for memory on autograd's own thread
std::optional<OutOfMemory> last_refusal;

void remember(std::int64_t requested) {
  OutOfMemory refusal{std::string(name(latest_phase())), requested, {}, {}};
  if (const auto counts = allocator_counts(torch_device(DeviceKind::kCuda))) {
    refusal.in_use_bytes = counts->allocated;
    refusal.peak_bytes = counts->peak_allocated;
  }
  const std::scoped_lock lock(refusal_mutex);
  last_refusal = refusal;
}

OutOfMemory remembered() {
  const std::scoped_lock lock(refusal_mutex);
  return last_refusal.value_or(OutOfMemory{std::string(name(latest_phase())), {}, {}, {}});
}

/// The host's allocator tells in words only.
std::optional<OutOfMemory> host_refusal(const std::string& message) {
  static const std::regex pattern("can't allocate memory: you tried to allocate (\\d+) bytes");
  std::smatch match;
  if (!std::regex_search(message, match, pattern)) return std::nullopt;
  return OutOfMemory{std::string(name(latest_phase())), std::stoll(match[1]), {}, {}};
}

/// Libraries and the runtime ask the device for memory beside the caching allocator.
bool device_is_full(const std::string& message) {
  return message.find("CUDA error: out of memory") != std::string::npos ||
         message.find("CUBLAS_STATUS_ALLOC_FAILED") != std::string::npos;
}

}  // namespace

void watch_refusals(DeviceKind kind) {
  if (kind == DeviceKind::kCuda) on_cuda_refusal(remember);
}

std::optional<OutOfMemory> as_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error)) return remembered();
  if (const auto refusal = host_refusal(error.what())) return refusal;
  if (dynamic_cast<const std::bad_alloc*>(&error) || device_is_full(error.what())) {
    return OutOfMemory{std::string(name(latest_phase())), {}, {}, {}};
  }
  return std::nullopt;
}

}  // namespace labreport
