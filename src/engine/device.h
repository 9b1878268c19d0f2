// The device that this process measures.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// The device cannot be started at all: no other cell can run on it either.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A process sees one GPU, chosen by CUDA_VISIBLE_DEVICES: number 0.
c10::Device torch_device(DeviceKind kind);

/// Creates the device's context. Throws `DeviceError` naming the driver that was found.
void start_device(DeviceKind kind);

/// Waits until the device has done all that it was given.
void synchronize(c10::Device device);

/// Name, memory, limits; the CPU and its memory without one.
Device describe_device(DeviceKind kind);

/// Versions of what runs beneath the model, without starting a device.
Software describe_software();

}  // namespace labreport
