#include "experiments/parallel_arithmetic/formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace labreport::parallel_arithmetic {
namespace {

constexpr double kSixteenBitBytes = 2;  // FP16, BF16
constexpr double kNoBatch = std::numeric_limits<double>::infinity();

/// Returns how long each device computes `flops` / N and sends (N − 1) / N of `bytes` over a ring.
PassTimes ring_pass(double flops, double bytes, double devices, const Rates& rates) {
  return {flops / (devices * rates.flops_per_second),
          (devices - 1) * bytes / (devices * rates.bytes_per_second)};
}

double weight_count(const SwiGluLayer& layer) { return 3 * layer.width * layer.inner; }
double forward_operations(const SwiGluLayer& layer) {
  return 2 * layer.tokens * weight_count(layer);
}

/// Returns a ring's bytes for an all-reduce of 16-bit elements: a reduce-scatter and an all-gather.
double all_reduced_bytes(double elements) { return 2 * kSixteenBitBytes * elements; }

}  // namespace

double sharded_bytes(const LinearStack& stack, double devices, double activation_bytes) {
  return stack.state_bytes() / devices + activation_bytes / 2 + activation_bytes / (2 * devices);
}

std::int64_t least_devices(const LinearStack& stack, double memory_bytes, double activation_bytes) {
  const double memory_left = memory_bytes - activation_bytes / 2;
  if (memory_left <= 0) return 0;
  const double exact_count = (stack.state_bytes() + activation_bytes / 2) / memory_left;
  // More than the exact count is needed, because bytes must be below the memory.
  return static_cast<std::int64_t>(std::floor(exact_count)) + 1;
}

double least_tokens_at_best(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double tokens = 4 * alpha * alpha / (mesh.fsdp_axes * mesh.tensor_axes * inner);
  return best_fsdp_devices(mesh, tokens * mesh.devices(), inner) < 1 ? 0 : tokens;
}

// The next two functions solve for B / N: 4 B D F / (N C) is at least the sum or the maximum of
// 4 D F / (Y W M_X) and 4 B D / (X W M_Y).
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double compute_minus_tensor =
      inner / mesh.devices() - alpha / (mesh.fsdp * mesh.tensor_axes);
  if (compute_minus_tensor <= 0) return kNoBatch;
  return alpha * inner / (mesh.tensor * mesh.fsdp_axes) / compute_minus_tensor / mesh.devices();
}

double least_tokens_side_by_side(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  if (alpha * mesh.tensor > inner * mesh.tensor_axes) return kNoBatch;
  return alpha / (mesh.tensor * mesh.fsdp_axes);
}

double best_fsdp_devices(const Mesh& mesh, double tokens, double inner) {
  return std::sqrt(tokens * mesh.fsdp_axes * mesh.devices() / (inner * mesh.tensor_axes));
}

double gathered_all_reduce_seconds(double devices, double bytes, double egress) {
  return (devices - 1) * bytes / egress;
}

double ring_all_reduce_seconds(double devices, double bytes, double egress) {
  return 2 * (devices - 1) * bytes / (devices * egress);
}

PassTimes data_parallel_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return ring_pass(2 * forward_operations(layer), all_reduced_bytes(weight_count(layer)), devices,
                   rates);
}

PassTimes fsdp_forward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return ring_pass(forward_operations(layer), kSixteenBitBytes * weight_count(layer), devices,
                   rates);
}

/// Backward gathers the weights again and reduce-scatters their gradients.
PassTimes fsdp_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return ring_pass(2 * forward_operations(layer), 2 * kSixteenBitBytes * weight_count(layer),
                   devices, rates);
}

PassTimes tensor_forward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return ring_pass(forward_operations(layer), all_reduced_bytes(layer.tokens * layer.width),
                   devices, rates);
}

PassTimes tensor_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return ring_pass(2 * forward_operations(layer), all_reduced_bytes(layer.tokens * layer.width),
                   devices, rates);
}

PassTimes fsdp_tensor_forward(const SwiGluLayer& layer, double fsdp, double tensor,
                              const Rates& rates) {
  const double devices = fsdp * tensor;
  const double gathered_bytes = (fsdp - 1) * kSixteenBitBytes * weight_count(layer);
  const double summed_bytes = (tensor - 1) * all_reduced_bytes(layer.tokens * layer.width);
  return {forward_operations(layer) / (devices * rates.flops_per_second),
          std::max(gathered_bytes, summed_bytes) / (devices * rates.bytes_per_second)};
}

double max_devices_by_batch(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + layer.tokens / rates.intensity();
}

double max_devices_tensor_forward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 1.5 * layer.inner / rates.intensity();
}

double max_devices_tensor_backward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 3 * layer.inner / rates.intensity();
}

double max_devices_side_by_side(const SwiGluLayer& layer, const Rates& rates) {
  return max_devices_by_batch(layer, rates) * max_devices_tensor_forward(layer, rates);
}

double max_devices_in_turn(const SwiGluLayer& layer, const Rates& rates) {
  const double product = layer.tokens * layer.inner;
  const double sum = 3 * product / rates.intensity() + 3 * layer.inner + 2 * layer.tokens;
  return sum * sum / (24 * product);
}

}  // namespace labreport::parallel_arithmetic
