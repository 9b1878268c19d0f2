#include "engine/cuda_device.h"

#include "engine/device.h"

#ifdef LABREPORT_HAS_CUDA

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <cupti_version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/gpu.h"
#include "base/nvml.h"

namespace labreport {
namespace {

std::string dotted_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Throws a `DeviceError` that names the driver, unless `error` is cudaSuccess.
void check_cuda(cudaError_t error) {
  if (error == cudaSuccess) return;
  const std::string driver = Nvml().driver_version();
  int supported_version = 0;
  std::string installed = "no driver found";
  if (cudaDriverGetVersion(&supported_version) == cudaSuccess && supported_version > 0) {
    installed = fmt::format("driver {}, which supports CUDA {}", driver.empty() ? "found" : driver,
                            dotted_version(supported_version));
  }
  throw DeviceError(fmt::format("CUDA {} cannot start the device: {} ({})", cuda_runtime_version(),
                                cudaGetErrorString(error), installed),
                    "install or update the driver, or use a LibTorch made for it");
}

// The facts are read once, at the start: after a failed kernel the runtime reports errors only.
CudaFacts facts_at_start;

}  // namespace

void start_cuda(int index) {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count));
  check_cuda(cudaSetDevice(index));
  check_cuda(cudaFree(nullptr));
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index));
  std::string uuid;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += fmt::format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  facts_at_start = {
      properties.name, driver_uuid(uuid), static_cast<std::int64_t>(properties.totalGlobalMem),
      fmt::format("{}.{}", properties.major, properties.minor), properties.multiProcessorCount};
}

CudaFacts cuda_facts() { return facts_at_start; }

std::string cuda_runtime_version() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess ? dotted_version(version) : "";
}

std::string cublas_version() {
  // LibTorch has loaded cuBLAS, so its function is looked up by name instead of linking cuBLAS.
  using GetProperty = int (*)(int, int*);
  const auto get_property = reinterpret_cast<GetProperty>(dlsym(RTLD_DEFAULT, "cublasGetProperty"));
  int parts[3] = {};
  for (int part = 0; part < 3; ++part) {
    if (!get_property || get_property(part, &parts[part]) != 0) return "";
  }
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

std::string cupti_version() {
  std::uint32_t version = CUPTI_API_VERSION;
  // In CUPTI 13.2, which comes with torch 2.15, cuptiGetVersion() crashes without a driver.
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return std::to_string(version);
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? std::to_string(version) : "";
}

void on_cuda_out_of_memory(std::function<void(std::int64_t requested_bytes)> callback) {
  c10::cuda::CUDACachingAllocator::attachOutOfMemoryObserver(
      [callback = std::move(callback)](std::int64_t, std::size_t bytes, std::size_t, std::size_t) {
        callback(static_cast<std::int64_t>(bytes));
      });
}

}  // namespace labreport

#else

namespace labreport {

void start_cuda(int) {
  throw DeviceError("this worker was built with a LibTorch that has no CUDA",
                    "build it with a torch that has, or measure on the CPU");
}

CudaFacts cuda_facts() { return {}; }
std::string cuda_runtime_version() { return ""; }
std::string cublas_version() { return ""; }
std::string cupti_version() { return ""; }
void on_cuda_out_of_memory(std::function<void(std::int64_t)>) {}

}  // namespace labreport

#endif
