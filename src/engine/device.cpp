#include "engine/device.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/gpu.h"
#include "base/machine.h"
#include "engine/cuda_device.h"
#include "engine/torch_versions.h"

namespace labreport {
namespace {

Device describe_cpu() {
  Device device;
  device.kind = DeviceKind::kCpu;
  device.name = cpu_model();
  device.memory_bytes = memory_bytes();
  return device;
}

/// Adds facts that CUDA does not report, or reports differently from nvidia-smi.
void add_driver_facts(const std::string& uuid, Device& device) {
  const auto monitor = GpuMonitor::open(uuid);
  if (!monitor) return;
  const Gpu gpu = monitor->describe();
  device.memory_bytes = gpu.memory_bytes;
  device.max_sm_clock_mhz = gpu.max_sm_clock_mhz;
  device.max_memory_clock_mhz = gpu.max_memory_clock_mhz;
  device.power_limit_mw = gpu.power_limit_mw;
  device.ecc = gpu.ecc;
  device.mig = gpu.mig;
}

Device describe_gpu() {
  const CudaFacts facts = cuda_facts();
  Device device;
  device.kind = DeviceKind::kCuda;
  device.uuid_hash = uuid_hash(facts.uuid);
  device.name = facts.name;
  device.memory_bytes = facts.memory_bytes;
  device.compute_capability = facts.compute_capability;
  device.multiprocessors = facts.multiprocessors;
  add_driver_facts(facts.uuid, device);
  return device;
}

}  // namespace

c10::Device torch_device(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return c10::Device(c10::DeviceType::CPU);
  return c10::Device(c10::DeviceType::CUDA, 0);
}

void start_device(DeviceKind kind) {
  if (kind == DeviceKind::kCuda) start_cuda();
}

void synchronize(c10::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

Device describe_device(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? describe_cpu() : describe_gpu();
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
