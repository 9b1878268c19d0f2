// Assigns kernels to the model's parts, and gives the FLOPs, bytes and time of the parts in one
// forward pass.
#pragma once

#include <string>
#include <vector>

#include "experiments/nsys_profile/profile.h"
#include "results/measured_table.h"

namespace labreport::nsys_profile {

inline constexpr const char* kOther = "other";

/// Reads the place from a row of the table `kernels` or `layer`.
KernelPlace kernel_place(const MeasuredRow& row);

/// Groups a kernel other than a GEMM. In labreport's network (`built_in`) the group is "softmax",
/// "scale and mask", "RoPE", "SwiGLU", "RMSNorm" or "residual"; in others it is the kernel's place.
/// Both also have "other copies" and "other".
std::string group_of(const KernelPlace& place, const std::string& kind, bool built_in);

/// Names the calls that launch a kernel: "FFN projection", "attention projection", "the LM head",
/// or else the kernel's group, such as "QKᵀ".
std::string calls_of(const KernelRow& row);

/// The kernels of one stage of self-attention; see analysis/kernel_places.h.
Rows of_stage(const Rows& rows, const std::string& stage);

/// One part of the network, over all layers. FLOPs and bytes come from formulas and are 0 for a
/// part without one; the time is measured.
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

/// The stages of attention in the forward pass; 0 ms if the kernels cannot be assigned to them.
std::vector<Work> attention_work(const Profile& profile);

/// The FFN's GEMMs, RMSNorm and, of a train step, AdamW; 0 ms if they did not run.
std::vector<Work> work_around_attention(const Profile& profile);

}  // namespace labreport::nsys_profile
