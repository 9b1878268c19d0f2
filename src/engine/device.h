// The device that this process measures.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// Thrown if the device cannot be started, so no other cell can run on it either.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Returns device 0: CUDA_VISIBLE_DEVICES leaves each process one GPU.
c10::Device torch_device(DeviceKind kind);

/// Creates the device's context. Throws `DeviceError`, which names the driver found.
void start_device(DeviceKind kind);

/// Waits until the device has finished all enqueued work.
void synchronize(c10::Device device);

/// Returns name, memory and limits of the GPU, or the CPU and its memory.
Device describe_device(DeviceKind kind);

/// Returns the versions of the libraries below the model, without starting a device.
Software describe_software();

}  // namespace labreport
