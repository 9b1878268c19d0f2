// The device that this process measures.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// Thrown if the device cannot be started. No other cell can run on it then.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Returns the CPU or the CUDA device that start_device() started.
c10::Device torch_device(DeviceKind kind);

/// Creates the GPU's context; does nothing for a CPU. `index` is 0 for a process to which
/// CUDA_VISIBLE_DEVICES shows its own GPU first. Throws `DeviceError`, which names the driver.
void start_device(DeviceKind kind, int index = 0);

/// Waits until the device has finished all enqueued work.
void synchronize(c10::Device device);

/// Returns the GPU's name, memory and limits, or the CPU's name and memory.
Device describe_device(DeviceKind kind);

/// Returns the versions of the driver, CUDA's libraries and LibTorch, without starting a device.
Software describe_software();

}  // namespace labreport
