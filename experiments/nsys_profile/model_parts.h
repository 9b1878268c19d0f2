// What kernels do in the model, and what its parts compute and move in one forward pass.
#pragma once

#include <string>
#include <vector>

#include "experiments/nsys_profile/profile.h"
#include "results/measured_table.h"

namespace labreport::nsys_profile {

inline constexpr const char* kOther = "other";

/// Of a row of the tables `kernels` and `layer`.
KernelPlace kernel_place(const MeasuredRow& row);

/// What a kernel other than a GEMM does. `own`, in labreport's network: "softmax", "scale and
/// mask", "RoPE", "SwiGLU", "RMSNorm", "residual"; else its place. In both "other copies", "other".
std::string group_of(const KernelPlace& place, const std::string& kind, bool own);

/// Which calls a kernel belongs to: "FFN projection", "attention projection", "the LM head", or its
/// group, "QKᵀ".
std::string calls_of(const KernelRow& row);

/// Of self-attention, see analysis/kernel_places.h.
Rows of_stage(const Rows& rows, const std::string& stage);

/// One part over all layers. FLOPs and bytes are by formula, zero where there is none; the time is
/// measured.
struct Work {
  std::string part;
  double ms = 0;
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }    ///< FLOP/B
  double rate() const { return ms > 0 ? flops / (ms / 1e3) : 0; }       ///< FLOP/s
  double bandwidth() const { return ms > 0 ? bytes / (ms / 1e3) : 0; }  ///< B/s
  Work operator+(const Work& more) const {
    return {part, ms + more.ms, flops + more.flops, bytes + more.bytes};
  }
};

/// The stages of attention in the forward pass; without time where nothing tells them.
std::vector<Work> attention_work(const Profile& profile);

/// The FFN's GEMMs, RMSNorm and, of a train step, AdamW; without time where they did not run.
std::vector<Work> work_around_attention(const Profile& profile);

}  // namespace labreport::nsys_profile
