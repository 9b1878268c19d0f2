#include "experiments/parallel_arithmetic/formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace labreport::parallel_arithmetic {
namespace {

constexpr double kSixteenBitBytes = 2;  // FP16, BF16
constexpr double kNoBatchSuffices = std::numeric_limits<double>::infinity();

/// Returns how long each device computes `flops` / N and sends (N − 1) / N of `bytes` over a ring.
PassTimes ring_pass(double flops, double bytes, double devices, const Rates& rates) {
  return {flops / (devices * rates.flops_per_second),
          (devices - 1) * bytes / (devices * rates.bytes_per_second)};
}

double weight_count(const SwiGluLayer& layer) { return 3 * layer.width * layer.inner; }
double forward_operations(const SwiGluLayer& layer) {
  return 2 * layer.tokens * weight_count(layer);
}

/// Returns twice the bytes: a ring's reduce-scatter and all-gather each send (N − 1) / N of them.
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

double least_tokens_at_best_x(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double per_device = 4 * alpha * alpha / (mesh.fsdp_axes * mesh.tensor_axes * inner);
  return best_fsdp_devices(mesh, per_device * mesh.devices(), inner) < 1 ? 0 : per_device;
}

// The next two functions return the least B / N at which computing, 4 B D F / (N C), lasts at least
// the sum or the maximum of FSDP's sending, 4 D F / (Y W M_X), and TP's, 4 B D / (X W M_Y).
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double margin_per_token =  // Computing minus TP's sending, in 4 D / C seconds.
      inner / mesh.devices() - alpha / (mesh.fsdp * mesh.tensor_axes);
  if (margin_per_token <= 0) return kNoBatchSuffices;
  return alpha * inner / (mesh.tensor * mesh.fsdp_axes) / margin_per_token / mesh.devices();
}

double least_tokens_side_by_side(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  if (alpha * mesh.tensor > inner * mesh.tensor_axes) return kNoBatchSuffices;
  return alpha / (mesh.tensor * mesh.fsdp_axes);
}

double best_fsdp_devices(const Mesh& mesh, double all_tokens, double inner) {
  return std::sqrt(all_tokens * mesh.fsdp_axes * mesh.devices() / (inner * mesh.tensor_axes));
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
  const double fsdp_bytes_of_all = (fsdp - 1) * kSixteenBitBytes * weight_count(layer);
  const double tp_bytes_of_all = (tensor - 1) * all_reduced_bytes(layer.tokens * layer.width);
  return {forward_operations(layer) / (devices * rates.flops_per_second),
          std::max(fsdp_bytes_of_all, tp_bytes_of_all) / (devices * rates.bytes_per_second)};
}

double max_devices_without_tp(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + layer.tokens / rates.intensity();
}

double max_devices_tensor_forward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 1.5 * layer.inner / rates.intensity();
}

double max_devices_tensor_backward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 3 * layer.inner / rates.intensity();
}

double max_devices_side_by_side(const SwiGluLayer& layer, const Rates& rates) {
  return max_devices_without_tp(layer, rates) * max_devices_tensor_forward(layer, rates);
}

double max_devices_in_turn(const SwiGluLayer& layer, const Rates& rates) {
  const double product = layer.tokens * layer.inner;
  // Computing lasts longer while 3 F X + 2 B Y, at least √(24 B F N), is at most this.
  const double max_traffic = 3 * product / rates.intensity() + 3 * layer.inner + 2 * layer.tokens;
  return max_traffic * max_traffic / (24 * product);
}

}  // namespace labreport::parallel_arithmetic
