// Formulas for what parallel training computes and sends, in the course handout's letters: N
// devices, each computing C FLOP/s and sending W bytes a second; α = C / W. Collectives use a ring.
#pragma once

#include <cstdint>

namespace labreport::parallel_arithmetic {

/// The 2025 handout's network: each block is two linear layers and nothing else.
struct LinearStack {
  double width = 0;  ///< d_model
  double inner = 0;  ///< d_ff
  double blocks = 0;

  double parameters() const { return blocks * 2 * width * inner; }
  /// Returns the bytes of FP32 master weights, gradients and AdamW's two moments.
  double state_bytes() const { return 16 * parameters(); }
  /// Returns the bytes of the inputs of both layers in BF16, over all blocks.
  double saved_bytes_per_token() const { return 2 * blocks * (width + inner); }
};

inline constexpr LinearStack kXxl{16384, 53248, 126};

/// Returns the bytes on each device if all state (16 bytes for each of P parameters) and half of
/// the activations A are sharded: 16 P / N + A / 2 + A / (2 N).
double sharded_bytes(const LinearStack& stack, double devices, double activation_bytes);

/// Returns the fewest devices on which `sharded_bytes` is below `memory_bytes`; 0 if none suffice.
std::int64_t least_devices(const LinearStack& stack, double memory_bytes, double activation_bytes);

struct Rates {
  double flops_per_second = 0;  ///< C
  double bytes_per_second = 0;  ///< W, sent by the device.

  /// Returns α, the operations for each byte sent.
  double intensity() const { return flops_per_second / bytes_per_second; }
};

/// FSDP over X devices along M_X axes of the mesh of devices, and tensor parallelism (TP) over
/// Y devices along M_Y axes. N = X · Y. A device sends W bytes a second along each axis.
struct Mesh {
  double fsdp = 1;         ///< X
  double tensor = 1;       ///< Y
  double fsdp_axes = 1;    ///< M_X
  double tensor_axes = 1;  ///< M_Y

  double devices() const { return fsdp * tensor; }
};

/// Returns the fewest tokens per device with which a forward pass of two linear layers is bound by
/// compute, at the best X and with the traffic of FSDP and TP in turn: 4 α² / (M_X M_Y d_ff)
/// (Austin et al., How to Scale Your Model, 2025). `inner` is d_ff. Returns 0 if the best X is
/// below 1: FSDP then sends nothing, and any batch is bound by compute while α ≤ M_Y d_ff / N.
double least_tokens_at_best_x(const Rates& rates, const Mesh& mesh, double inner);

// The next two functions return the fewest tokens per device at the mesh's own X and Y; infinite if
// no batch suffices. Each device computes 4 B D F / N operations, and sends 4 D F / Y bytes for
// FSDP and 4 B D / X bytes for TP. D = d_model, F = d_ff, and B tokens in all.
double least_tokens_in_turn(const Rates& rates, const Mesh& mesh, double inner);
double least_tokens_side_by_side(const Rates& rates, const Mesh& mesh, double inner);

/// Returns the X at which FSDP and tensor parallelism send equally long: √(B M_X N / (F M_Y)).
double best_fsdp_devices(const Mesh& mesh, double all_tokens, double inner);

// The rest is for the 2026 handout: SwiGLU layers of three D × F matrices in FP16, and B tokens.

/// Returns how long an all-reduce of S `bytes` takes by all-gather and local sum: (N − 1) S / W.
/// `egress` is W.
double gathered_all_reduce_seconds(double devices, double bytes, double egress);
/// Returns how long an all-reduce of S `bytes` takes over a ring: 2 (N − 1) S / (N W).
double ring_all_reduce_seconds(double devices, double bytes, double egress);

struct SwiGluLayer {
  double width = 0;   ///< D
  double inner = 0;   ///< F
  double tokens = 0;  ///< B
};

/// The times for which each device computes and sends in one pass.
struct PassTimes {
  double compute_seconds = 0;
  double traffic_seconds = 0;
};

PassTimes data_parallel_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
PassTimes fsdp_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
PassTimes fsdp_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
PassTimes tensor_forward(const SwiGluLayer& layer, double devices, const Rates& rates);
PassTimes tensor_backward(const SwiGluLayer& layer, double devices, const Rates& rates);
/// FSDP and TP send side by side, so the traffic takes as long as the longer of the two.
PassTimes fsdp_tensor_forward(const SwiGluLayer& layer, double fsdp, double tensor,
                              const Rates& rates);

// The functions below return the most devices with which a pass is still bound by compute.

/// This is 1 + B W / C, for plain data parallelism and for FSDP.
double max_devices_without_tp(const SwiGluLayer& layer, const Rates& rates);
/// This is 1 + 3 F W / (2 C).
double max_devices_tensor_forward(const SwiGluLayer& layer, const Rates& rates);
/// This is 1 + 3 F W / C.
double max_devices_tensor_backward(const SwiGluLayer& layer, const Rates& rates);
/// This is (1 + B W / C) (1 + 3 F W / (2 C)), for FSDP beside TP.
double max_devices_side_by_side(const SwiGluLayer& layer, const Rates& rates);
/// This is (3 B F W / C + 3 F + 2 B)² / (24 B F), for FSDP and TP in turn.
double max_devices_in_turn(const SwiGluLayer& layer, const Rates& rates);

}  // namespace labreport::parallel_arithmetic
