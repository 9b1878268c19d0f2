// What kernels do in the model, and what its parts compute and move in one forward pass.
#pragma once

#include <string>
#include <vector>

#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

inline constexpr const char* kScores = "QKᵀ";
inline constexpr const char* kScaleMask = "scale and mask";
inline constexpr const char* kSoftmax = "softmax";
inline constexpr const char* kValues = "A·V";
inline constexpr const char* kProjections = "projections";
inline constexpr const char* kRope = "RoPE";
inline constexpr const char* kOther = "other";

/// The stage of one kernel by module, operation and class; empty outside of self-attention.
std::string stage_of(const std::string& module, const std::string& operation, bool gemm);

/// What a kernel other than a GEMM does: "softmax", "scale and mask", "RoPE", "SwiGLU", "RMSNorm",
/// "residual", "other copies", "optimizer", "other".
std::string group_of(const KernelRow& row);

/// Which calls a kernel belongs to: "FFN projection", "attention projection", "QKᵀ", "A·V", "LM
/// head", or its group.
std::string place_of(const KernelRow& row);

/// One part over all layers. FLOPs and bytes are by formula, the time is measured.
struct Work {
  std::string part;
  double ms = 0;
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }    ///< FLOP/B
  double rate() const { return ms > 0 ? flops / (ms / 1e3) : 0; }       ///< FLOP/s
  double bandwidth() const { return ms > 0 ? bytes / (ms / 1e3) : 0; }  ///< B/s
};

/// QKᵀ, scale and mask, softmax, A·V and the projections of the forward pass; empty: not measured.
std::vector<Work> attention_work(const Profile& profile);

/// The FFN's GEMMs, RMSNorm and, of a train step, AdamW; without time where they did not run.
std::vector<Work> work_around_attention(const Profile& profile);

/// The sum of these parts.
Work together(const std::vector<Work>& all, const std::vector<std::string>& parts);

}  // namespace labreport::nsys_profile
