// Initial values of weights.
#pragma once

#include "model/parameter.h"

namespace labreport {

inline constexpr double kTruncationDeviations = 3.0;

/// Returns the standard deviation of a linear layer's initial weights, √(2 / (d_in + d_out)).
double linear_std(std::int64_t d_in, std::int64_t d_out);

/// Returns an uninitialized trainable FP32 tensor.
at::Tensor trainable_empty(at::IntArrayRef shape, c10::Device device);

/// Draws values from a normal distribution with mean 0 and standard deviation `std`, truncated at
/// ±3 `std`, by the default generator of the device. Temporaries take 1¼ times the tensor's bytes.
void draw_truncated_normal(at::Tensor weight, double std);

/// Draws the values of the parameters that have a `std`, and returns the temporaries' memory to the
/// device. All tensors of the network must exist before: a later tensor would fill a block that
/// drawing freed, which changes the memory layout.
void initialize(const Parameters& parameters);

/// Returns a trainable FP32 vector of ones.
at::Tensor trainable_ones(std::int64_t size, c10::Device device);

}  // namespace labreport
