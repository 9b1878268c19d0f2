// Measures the time of a repeated operation on a warm device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace labreport {

/// The total time of the repetitions and the number of samples.
struct SustainedOptions {
  std::int64_t total_ns = 1'000'000'000;
  std::int64_t samples = 20;
};

/// Repeats `operation` for about `total_ns` without a pause, and returns the mean nanoseconds of
/// one repetition for each of `samples` equal batches, by the device's events.
std::vector<double> sustained_ns(c10::Device device, const SustainedOptions& options,
                                 const std::function<void()>& operation);

}  // namespace labreport
