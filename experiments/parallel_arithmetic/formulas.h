// Calculates what parallel training computes and sends. Times are in seconds. "Ring" collectives
// send from each of N devices at W bytes a second.
#pragma once

#include <cstdint>

namespace labreport::parallel_arithmetic {

/// Two linear layers a block and nothing else, as the 2025 handout has it.
struct LinearStack {
  double width = 0;  ///< d_model
  double inner = 0;  ///< d_ff
  double blocks = 0;

  double parameters() const { return blocks * 2 * width * inner; }
  /// FP32 master weights, gradients and AdamW's two moments.
  double state_bytes() const { return 16 * parameters(); }
  /// The inputs of both linears in BF16: 2 L (d + d_ff) a token.
  double saved_bytes_per_token() const { return 2 * blocks * (width + inner); }
};

inline constexpr LinearStack kXxl{16384, 53248, 126};

/// Bytes on each of `devices` where all state and half of the activations are sharded:
/// 16 P / N + A / 2 + A / (2 N).
double sharded_bytes(const LinearStack& stack, double devices, double activation_bytes);

/// The fewest devices of `memory` bytes that hold the training state; 0 if no number does.
std::int64_t least_devices(const LinearStack& stack, double memory, double activation_bytes);

/// A device: C and W.
struct Rates {
  double flops = 0;  ///< per second
  double bytes = 0;  ///< per second, sent by the device

  /// Operations for each byte sent.
  double intensity() const { return flops / bytes; }
};

/// FSDP over X devices along M_X axes and tensor parallelism over Y along M_Y.
struct Mesh {
  double fsdp = 1;         ///< X
  double tensor = 1;       ///< Y
  double fsdp_axes = 1;    ///< M_X
  double tensor_axes = 1;  ///< M_Y

  double devices() const { return fsdp * tensor; }
};

/// Least tokens a device from which a forward pass of two linears is bound by compute, X chosen for
/// it: 4 α² / (M_X M_Y d_ff), the two communications one after the other (Austin et al., How to
/// Scale Your Model, 2025). 0, any batch, where that X is below one device: X = 1 gathers nothing,
/// and tensor parallelism over all N is bound by compute while α ≤ M_Y d_ff / N.
double least_tokens_at_best(const Rates& rates, const Mesh& mesh, double inner);

/// Least tokens a device at the mesh's own X and Y, with the two communications one after the
/// other, or side by side. FSDP sends 4 D F / Y bytes, tensor parallelism 4 B D / X; 4 B D F / N
/// operations are computed. Infinite if no batch is large enough.
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner);
double least_tokens_beside(const Rates& rates, const Mesh& mesh, double inner);

/// The X at which FSDP and tensor parallelism of `devices` send for equally long: √(B M_X N / (F
/// M_Y)).
double best_fsdp(const Mesh& mesh, double tokens, double inner);

// 2026: a SwiGLU network of three D × F matrices in FP16, a batch of B tokens, N devices.

/// All-gather, then local sum: (N − 1) S / W; ring: 2 (N − 1) S / (N W).
double gathered_all_reduce_seconds(double devices, double bytes, double egress);
double ring_all_reduce_seconds(double devices, double bytes, double egress);

struct SwiGluLayer {
  double width = 0;   ///< D
  double inner = 0;   ///< F
  double tokens = 0;  ///< B
};

/// A pass: what it computes, and how long it sends.
struct Pass {
  double compute_seconds = 0;
  double traffic_seconds = 0;
};

Pass data_parallel_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass fsdp_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass fsdp_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass tensor_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass tensor_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
/// Takes the longer of both communications, which run side by side.
Pass both_forward(const SwiGluLayer& layer, double fsdp, double tensor, const Rates& rates);

// The most devices with which compute still takes as long as traffic.

/// 1 + B W / C: data parallelism and FSDP.
double most_by_batch(const SwiGluLayer& layer, const Rates& rates);
/// 1 + 3 F W / (2 C), and 1 + 3 F W / C.
double most_by_tensor_forward(const SwiGluLayer& layer, const Rates& rates);
double most_by_tensor_backward(const SwiGluLayer& layer, const Rates& rates);
/// (1 + B W / C) (1 + 3 F W / (2 C)).
double most_by_both(const SwiGluLayer& layer, const Rates& rates);
/// If one communication follows the other: (3 B F W / C + 3 F + 2 B)² / (24 B F).
double most_by_both_in_turn(const SwiGluLayer& layer, const Rates& rates);

}  // namespace labreport::parallel_arithmetic
