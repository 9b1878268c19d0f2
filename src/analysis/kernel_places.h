// The part of a network that a kernel serves, independent of the names of the network's modules.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

namespace role {

inline constexpr const char* kAttention = "attention";
inline constexpr const char* kFeedForward = "feed-forward";
inline constexpr const char* kNorms = "norms";
inline constexpr const char* kEmbeddings = "embeddings";
inline constexpr const char* kHead = "LM head";
inline constexpr const char* kBlocks = "blocks themselves";  ///< Work in none of a block's modules.

}  // namespace role

namespace stage {

inline constexpr const char* kProjections = "projections";  ///< GEMMs of attention's linear layers.
inline constexpr const char* kScores = "QKᵀ";
inline constexpr const char* kScaleMask = "scale and mask";
inline constexpr const char* kSoftmax = "softmax";
inline constexpr const char* kValues = "A·V";
inline constexpr const char* kProducts = "QKᵀ and A·V";  ///< Either; no range shows which.
inline constexpr const char* kRope = "RoPE";
inline constexpr const char* kFused = "fused kernel";

}  // namespace stage

struct KernelPlace {
  std::string part;   ///< A role, or the path of a module without one, or "outside of modules".
  std::string stage;  ///< A stage of attention; empty if operator and module do not show it.

  std::string words() const { return part + (stage.empty() ? "" : ": ") + stage; }
  auto operator<=>(const KernelPlace&) const = default;
};

/// Finds the role from the first module of the path whose name shows one. Only ranges inside
/// attention separate QKᵀ, scale and mask, and A·V: "computing attention scores", "final matmul".
///
/// `module` is a path, "layers/attn/q_proj"; `operation` is the kernel's outermost operator and
/// `op` its innermost.
KernelPlace place_of(std::string_view module, std::string_view operation, std::string_view op);

}  // namespace labreport
