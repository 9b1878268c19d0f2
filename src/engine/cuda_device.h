// What only CUDA's runtime knows. In a build without CUDA everything is absent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace labreport {

struct CudaFacts {
  std::string name;
  std::string uuid;  ///< "GPU-…" or "MIG-…", as the driver's library writes it.
  std::int64_t memory_bytes = 0;
  std::string compute_capability;
  std::int64_t multiprocessors = 0;
};

/// Makes device 0 current and creates its context. Throws `DeviceError`.
void start_cuda();

/// Of device 0, as it was when it was started.
CudaFacts cuda_facts();

std::string cuda_runtime_version();  ///< "13.0"; empty without CUDA.
std::string cublas_version();        ///< "13.1.0"
std::string cupti_version();         ///< Its API's number.

/// Calls `failed` with the bytes asked for before each CUDA out-of-memory error is thrown, on
/// whichever thread asked. Stays for the life of the process.
void on_cuda_out_of_memory(std::function<void(std::int64_t requested_bytes)> failed);

}  // namespace labreport
