// Formulas for what parallel training computes and sends, in the handout's letters: N devices, each
// computing C FLOP/s and sending W bytes a second; S bytes; α = C / W. Collectives use a ring.
#pragma once

#include <cstdint>

namespace labreport::parallel_arithmetic {

/// The 2025 handout's network: each block is two linear layers and nothing else.
struct LinearStack {
  double width = 0;  ///< d_model
  double inner = 0;  ///< d_ff
  double blocks = 0;

  double parameters() const { return blocks * 2 * width * inner; }
  /// Bytes of FP32 master weights, gradients and AdamW's two moments.
  double state_bytes() const { return 16 * parameters(); }
  /// Bytes of the inputs of both layers in BF16, over all blocks.
  double saved_bytes_per_token() const { return 2 * blocks * (width + inner); }
};

inline constexpr LinearStack kXxl{16384, 53248, 126};

/// Bytes on each device if all state (16 bytes for each of P parameters) and half of the
/// activations A are sharded: 16 P / N + A / 2 + A / (2 N).
double sharded_bytes(const LinearStack& stack, double devices, double activation_bytes);

/// The fewest devices on which `sharded_bytes` is below `memory`; 0 if no number is enough.
std::int64_t least_devices(const LinearStack& stack, double memory, double activation_bytes);

/// The rates of one device: C and W.
struct Rates {
  double flops = 0;  ///< per second
  double bytes = 0;  ///< per second, sent by the device

  /// Operations for each byte sent.
  double intensity() const { return flops / bytes; }
};

/// FSDP over X devices along M_X axes of the network of devices, and tensor parallelism over Y
/// devices along M_Y axes. N = X · Y. A device sends W bytes a second along each axis.
struct Mesh {
  double fsdp = 1;         ///< X
  double tensor = 1;       ///< Y
  double fsdp_axes = 1;    ///< M_X
  double tensor_axes = 1;  ///< M_Y

  double devices() const { return fsdp * tensor; }
};

/// The fewest tokens a device with which a forward pass of two linear layers is bound by compute,
/// if X is the best for it and the two communications follow each other: 4 α² / (M_X M_Y d_ff)
/// (Austin et al., How to Scale Your Model, 2025). Returns 0 if the best X is below 1: then X = 1
/// gathers nothing, and any batch is bound by compute while α ≤ M_Y d_ff / N.
double least_tokens_at_best(const Rates& rates, const Mesh& mesh, double inner);

/// Like `least_tokens_at_best`, but at the mesh's own X and Y, and with the two communications in
/// turn or side by side. Each device computes 4 B D F / N operations and sends 4 D F / Y bytes for
/// FSDP and 4 B D / X bytes for tensor parallelism (D = d_model, F = d_ff, B tokens in all).
/// Infinite if no batch is large enough.
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner);
double least_tokens_beside(const Rates& rates, const Mesh& mesh, double inner);

/// The X at which FSDP and tensor parallelism take equally long to send: √(B M_X N / (F M_Y)).
double best_fsdp(const Mesh& mesh, double tokens, double inner);

// From here on for 2026: SwiGLU layers of three D × F matrices in FP16, and a batch of B tokens.

/// An all-reduce of S bytes at `egress` = W: an all-gather followed by a local sum takes
/// (N − 1) S / W, the ring 2 (N − 1) S / (N W).
double gathered_all_reduce_seconds(double devices, double bytes, double egress);
double ring_all_reduce_seconds(double devices, double bytes, double egress);

struct SwiGluLayer {
  double width = 0;   ///< D
  double inner = 0;   ///< F
  double tokens = 0;  ///< B
};

/// How long each device computes and sends in one pass.
struct Pass {
  double compute_seconds = 0;
  double traffic_seconds = 0;
};

Pass data_parallel_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass fsdp_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass fsdp_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass tensor_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
Pass tensor_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
/// The traffic is the longer of both communications, which run side by side.
Pass both_forward(const SwiGluLayer& layer, double fsdp, double tensor, const Rates& rates);

// Functions below return the most devices with which a pass still computes as long as it sends.

/// For data parallelism and FSDP: 1 + B W / C.
double most_by_batch(const SwiGluLayer& layer, const Rates& rates);
/// For tensor parallelism: forward 1 + 3 F W / (2 C), backward 1 + 3 F W / C.
double most_by_tensor_forward(const SwiGluLayer& layer, const Rates& rates);
double most_by_tensor_backward(const SwiGluLayer& layer, const Rates& rates);
/// For both, side by side: (1 + B W / C) (1 + 3 F W / (2 C)).
double most_by_both(const SwiGluLayer& layer, const Rates& rates);
/// For both, one after the other: (3 B F W / C + 3 F + 2 B)² / (24 B F).
double most_by_both_in_turn(const SwiGluLayer& layer, const Rates& rates);

}  // namespace labreport::parallel_arithmetic
