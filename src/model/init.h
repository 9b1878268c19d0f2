// Initial values of weights.
#pragma once

#include "model/parameter.h"

namespace labreport {

inline constexpr double kTruncationDeviations = 3.0;

/// Returns √(2 / (in + out)).
double linear_std(std::int64_t d_in, std::int64_t d_out);

/// Returns an uninitialized trainable FP32 tensor.
at::Tensor trainable(at::IntArrayRef shape, c10::Device device);

/// Draws the tensor's values from a normal distribution with mean 0 and `std`, truncated at ±3 std,
/// with its device's default generator. Temporaries take 1¼ times the tensor's size.
void draw_truncated_normal(at::Tensor weight, double std);

/// Draws the parameters that have a `std`. All tensors of the network must exist before: otherwise
/// later ones would fill the blocks that drawing frees, and the network's memory would not be laid
/// out like one initialized in place. Temporaries are returned to the device.
void initialize(const Parameters& parameters);

/// Returns a trainable FP32 vector of ones.
at::Tensor trainable_ones(std::int64_t size, c10::Device device);

}  // namespace labreport
