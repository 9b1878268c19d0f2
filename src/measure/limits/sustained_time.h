// Measures the time of a repeated operation on a warm device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace labreport {

struct SustainedOptions {
  std::int64_t total_ns = 1'000'000'000;
  std::int64_t samples = 20;  ///< Number of samples.
};

/// Repeats `operation` back to back for about `total_ns`, in `samples` groups of equally many
/// calls. Returns each group's mean nanoseconds of one call, by the device's events.
std::vector<double> sustained_ns(c10::Device device, const SustainedOptions& options,
                                 const std::function<void()>& operation);

}  // namespace labreport
