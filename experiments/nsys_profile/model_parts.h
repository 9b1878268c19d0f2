// Assigns kernels to the network's parts, and gives the FLOPs, bytes and time of these parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/step_limits.h"
#include "experiments/nsys_profile/profiles.h"
#include "plan/part_work.h"
#include "results/measured_table.h"

namespace labreport::nsys_profile {

/// Names the part of the network that launches a kernel: for a GEMM "FFN projection", "attention
/// projection" or "the LM head"; otherwise the kernel's group, such as "QKᵀ".
std::string caller_name(const KernelRow& row);

/// Returns the kernels of one stage of self-attention; see analysis/kernel_places.h.
KernelRows rows_of_stage(const KernelRows& rows, const std::string& stage);

/// The work and the time of one part of the network over all layers. FLOPs and bytes are calculated
/// and are 0 if there is no formula for the part. The time is measured.
struct TimedWork {
  std::string name;  ///< The part: "softmax", "FFN".
  double ms = 0;
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }    ///< FLOP/B
  double flop_rate() const { return ms > 0 ? flops / (ms / 1e3) : 0; }  ///< FLOP/s
  double bandwidth() const { return ms > 0 ? bytes / (ms / 1e3) : 0; }  ///< B/s
  TimedWork operator+(const TimedWork& more) const {
    return {name, ms + more.ms, flops + more.flops, bytes + more.bytes};
  }
};

/// Returns the stages of self-attention in the forward pass. A stage without kernels has 0 ms.
std::vector<TimedWork> attention_work(const KernelProfile& profile);

/// The work of softmax, and of QKᵀ and A·V together, in the forward pass of a user's network.
struct UsersAttentionWork {
  PartWork softmax, products;
  bool is_written_out;  ///< Softmax is five operators instead of a fused one.
};

/// Returns the work of full attention with the network's sizes. Returns nothing unless each layer
/// launches two batched GEMMs in attention and one softmax, fused or of five operators, in FP32.
std::optional<UsersAttentionWork> users_attention_work(const KernelProfile& profile);

/// Returns the FFN's GEMMs and RMSNorm of the forward pass, and AdamW; 0 ms if they did not run.
std::vector<TimedWork> work_outside_attention(const KernelProfile& profile);

/// Returns the parts of the profile's training step, forward and backward together, with the work
/// that they need. A part without kernels has 0 ms. Only labreport's own network has these parts.
std::vector<StepBlock> step_blocks(const KernelProfile& profile);

}  // namespace labreport::nsys_profile
