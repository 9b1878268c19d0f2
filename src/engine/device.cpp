#include "engine/device.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/gpu.h"
#include "base/machine.h"
#include "engine/cuda_device.h"
#include "engine/torch_versions.h"

namespace labreport {
namespace {

c10::DeviceIndex cuda_index = 0;

}  // namespace

c10::Device torch_device(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return c10::Device(c10::DeviceType::CPU);
  return c10::Device(c10::DeviceType::CUDA, cuda_index);
}

void start_device(DeviceKind kind, int index) {
  if (kind != DeviceKind::kCuda) return;
  start_cuda(index);
  cuda_index = static_cast<c10::DeviceIndex>(index);
}

void synchronize(c10::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

Device describe_device(DeviceKind kind) {
  Device device;
  device.kind = kind;
  if (kind == DeviceKind::kCpu) {
    device.name = cpu_model();
    device.memory_bytes = memory_bytes();
    return device;
  }
  const CudaFacts facts = cuda_facts();
  device.uuid_hash = uuid_hash(facts.uuid);
  device.name = facts.name;
  device.memory_bytes = facts.memory_bytes;
  device.compute_capability = facts.compute_capability;
  device.multiprocessors = facts.multiprocessors;
  const auto monitor = GpuMonitor::open(facts.uuid);
  if (!monitor) return device;
  // The driver reports more than CUDA's runtime, and its memory size is the one in nvidia-smi.
  const Gpu gpu = monitor->read();
  device.memory_bytes = gpu.memory_bytes;
  device.max_sm_clock_mhz = gpu.max_sm_clock_mhz;
  device.max_memory_clock_mhz = gpu.max_memory_clock_mhz;
  device.power_limit_mw = gpu.power_limit_mw;
  device.ecc = gpu.ecc;
  device.mig = gpu.mig;
  return device;
}

Software describe_software() {
  Software software;
  software.driver = Nvml().driver_version();
  software.cuda = cuda_runtime_version();
  software.cublas = cublas_version();
  software.cupti = cupti_version();
  software.libtorch = TORCH_VERSION;
  return software;
}

}  // namespace labreport
