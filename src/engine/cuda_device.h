// Facts that only CUDA's runtime provides. A build without CUDA returns empty facts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace labreport {

struct CudaFacts {
  std::string name;
  std::string uuid;  ///< "GPU-…" or "MIG-…", as NVML writes it.
  std::int64_t memory_bytes = 0;
  std::string compute_capability;
  std::int64_t multiprocessors = 0;
};

/// Selects the device and creates its context. Throws `DeviceError`.
void start_cuda(int index);

/// Returns the device's facts, which start_cuda() has read.
CudaFacts cuda_facts();

std::string cuda_runtime_version();  ///< "13.0"; empty without CUDA.
std::string cublas_version();        ///< "13.1.0"
std::string cupti_version();         ///< The version of CUPTI's API, one number.

/// Calls `callback` on the allocating thread before the caching allocator throws an out-of-memory
/// error. `callback` stays registered until the process ends.
void on_cuda_out_of_memory(std::function<void(std::int64_t requested_bytes)> callback);

}  // namespace labreport
