// What self-attention computes and moves in one forward pass, stage by stage.
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
inline constexpr const char* kRotary = "rotary";
inline constexpr const char* kOtherStage = "other";

/// One stage over all layers. FLOPs and bytes are by formula, the time is measured.
struct Work {
  std::string stage;
  double ms = 0;
  std::int64_t calls = 0;
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }    ///< FLOP/B
  double rate() const { return ms > 0 ? flops / (ms / 1e3) : 0; }       ///< FLOP/s
  double bandwidth() const { return ms > 0 ? bytes / (ms / 1e3) : 0; }  ///< B/s
};

/// The stage of one kernel by module, operation and class; empty outside of self-attention.
std::string stage_of(const std::string& module, const std::string& operation, bool product);

/// QKᵀ, scale and mask, softmax, A·V and the projections of the forward pass; empty: not measured.
std::vector<Work> attention_work(const Profile& profile);

/// The feed-forward network's products, RMSNorm and, of a train step, AdamW; without time where
/// they did not run.
std::vector<Work> work_around_attention(const Profile& profile);

/// The stages' sum under a name of its own.
Work together(const std::string& name, const std::vector<Work>& all,
              const std::vector<std::string>& stages);

}  // namespace labreport::nsys_profile
