#include "experiments/parallel_arithmetic/formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace labreport::parallel_arithmetic {
namespace {

constexpr double kHalfBytes = 2;  // FP16, BF16
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Each device computes `flops` / N and sends (N − 1) / N · `bytes` over a ring.
Pass pass(double flops, double bytes, double devices, const Rates& rates) {
  return {flops / (devices * rates.flops), (devices - 1) * bytes / (devices * rates.bytes)};
}

double weights(const SwiGluLayer& layer) { return 3 * layer.width * layer.inner; }
double forward_operations(const SwiGluLayer& layer) { return 2 * layer.tokens * weights(layer); }

/// The ring's bytes for an all-reduce of 16-bit elements: a reduce-scatter and an all-gather.
double summed_bytes(double elements) { return 2 * kHalfBytes * elements; }

}  // namespace

double sharded_bytes(const LinearStack& stack, double devices, double activation_bytes) {
  return stack.state_bytes() / devices + activation_bytes / 2 + activation_bytes / (2 * devices);
}

std::int64_t least_devices(const LinearStack& stack, double memory, double activation_bytes) {
  const double room = memory - activation_bytes / 2;
  if (room <= 0) return 0;
  const double least = (stack.state_bytes() + activation_bytes / 2) / room;
  return static_cast<std::int64_t>(std::floor(least)) + 1;  // strictly more than `least`: bytes
                                                            // must be below the memory
}

double least_tokens_at_best(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double tokens = 4 * alpha * alpha / (mesh.fsdp_axes * mesh.tensor_axes * inner);
  return best_fsdp(mesh, tokens * mesh.devices(), inner) < 1 ? 0 : tokens;
}

// Both functions solve for B / N: 4 B D F / (N C) is at least the sum or the maximum of
// 4 D F / (Y W M_X) and 4 B D / (X W M_Y).
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  const double spared = inner / mesh.devices() - alpha / (mesh.fsdp * mesh.tensor_axes);
  if (spared <= 0) return kNever;
  return alpha * inner / (mesh.tensor * mesh.fsdp_axes) / spared / mesh.devices();
}

double least_tokens_beside(const Rates& rates, const Mesh& mesh, double inner) {
  const double alpha = rates.intensity();
  if (alpha * mesh.tensor > inner * mesh.tensor_axes) return kNever;
  return alpha / (mesh.tensor * mesh.fsdp_axes);
}

double best_fsdp(const Mesh& mesh, double tokens, double inner) {
  return std::sqrt(tokens * mesh.fsdp_axes * mesh.devices() / (inner * mesh.tensor_axes));
}

double gathered_all_reduce_seconds(double devices, double bytes, double egress) {
  return (devices - 1) * bytes / egress;
}

double ring_all_reduce_seconds(double devices, double bytes, double egress) {
  return 2 * (devices - 1) * bytes / (devices * egress);
}

Pass data_parallel_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return pass(2 * forward_operations(layer), summed_bytes(weights(layer)), devices, rates);
}

Pass fsdp_forward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return pass(forward_operations(layer), kHalfBytes * weights(layer), devices, rates);
}

/// Backward gathers the weights again and reduce-scatters their gradients.
Pass fsdp_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return pass(2 * forward_operations(layer), 2 * kHalfBytes * weights(layer), devices, rates);
}

Pass tensor_forward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return pass(forward_operations(layer), summed_bytes(layer.tokens * layer.width), devices, rates);
}

Pass tensor_backward(const SwiGluLayer& layer, double devices, const Rates& rates) {
  return pass(2 * forward_operations(layer), summed_bytes(layer.tokens * layer.width), devices,
              rates);
}

Pass both_forward(const SwiGluLayer& layer, double fsdp, double tensor, const Rates& rates) {
  const double devices = fsdp * tensor;
  const double gathered = (fsdp - 1) * kHalfBytes * weights(layer);
  const double summed = (tensor - 1) * summed_bytes(layer.tokens * layer.width);
  return {forward_operations(layer) / (devices * rates.flops),
          std::max(gathered, summed) / (devices * rates.bytes)};
}

double most_by_batch(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + layer.tokens / rates.intensity();
}

double most_by_tensor_forward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 1.5 * layer.inner / rates.intensity();
}

double most_by_tensor_backward(const SwiGluLayer& layer, const Rates& rates) {
  return 1 + 3 * layer.inner / rates.intensity();
}

double most_by_both(const SwiGluLayer& layer, const Rates& rates) {
  return most_by_batch(layer, rates) * most_by_tensor_forward(layer, rates);
}

double most_by_both_in_turn(const SwiGluLayer& layer, const Rates& rates) {
  const double product = layer.tokens * layer.inner;
  const double room = 3 * product / rates.intensity() + 3 * layer.inner + 2 * layer.tokens;
  return room * room / (24 * product);
}

}  // namespace labreport::parallel_arithmetic
