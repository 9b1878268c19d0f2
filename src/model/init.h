// How weights begin.
#pragma once

#include "model/parameter.h"

namespace labreport {

inline constexpr double kTruncationDeviations = 3.0;

/// √(2 / (in + out))
double linear_std(std::int64_t d_in, std::int64_t d_out);

/// A trainable FP32 tensor that holds nothing yet.
at::Tensor trainable(at::IntArrayRef shape, c10::Device device);

/// Draws a trainable tensor anew: normal with mean 0 and `std`, truncated at ±3 std, by its
/// device's default generator. Takes temporaries of 1¼ times its size.
void draw_truncated_normal(at::Tensor weight, double std);

/// Draws those that are to be drawn. All of a network's tensors have to be there: blocks that
/// drawing leaves free would be filled by later ones, and the network would not lie in memory as
/// one does that is initialized in place. What drawing took goes back to the device.
void initialize(const Parameters& parameters);

/// A trainable FP32 vector of ones.
at::Tensor trainable_ones(std::int64_t size, c10::Device device);

}  // namespace labreport
