// How weights begin.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

inline constexpr double kTruncationDeviations = 3.0;

/// √(2 / (in + out))
double linear_std(std::int64_t d_in, std::int64_t d_out);

/// A trainable FP32 tensor: normal with mean 0 and `std`, truncated at ±3 std, drawn on `device`
/// with its default generator. Takes temporaries of 1¼ times its size.
at::Tensor truncated_normal(at::IntArrayRef shape, double std, c10::Device device);

/// A trainable FP32 vector of ones.
at::Tensor trainable_ones(std::int64_t size, c10::Device device);

}  // namespace labreport
