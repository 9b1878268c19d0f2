// Names the part of a network that a kernel serves, whatever the network's modules are called.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Parts that a module can play in the network.
namespace role {

inline constexpr const char* kAttention = "attention";
inline constexpr const char* kFeedForward = "feed-forward";
inline constexpr const char* kNorms = "norms";
inline constexpr const char* kEmbeddings = "embeddings";
inline constexpr const char* kHead = "LM head";
inline constexpr const char* kBlocks = "blocks themselves";  ///< Work outside of a block's modules.

}  // namespace role

/// Stages of attention's computation to which a kernel can belong.
namespace stage {

inline constexpr const char* kProjections = "projections";  ///< GEMMs of attention's linear layers.
inline constexpr const char* kScores = "QKᵀ";
inline constexpr const char* kScaleMask = "scale and mask";
inline constexpr const char* kSoftmax = "softmax";
inline constexpr const char* kValues = "A·V";
inline constexpr const char* kScoresOrValues = "QKᵀ and A·V";  ///< No range tells which.
inline constexpr const char* kRope = "RoPE";
inline constexpr const char* kFused = "fused kernel";

}  // namespace stage

struct KernelPlace {
  std::string part;   ///< A role, else a module's path, else "outside of modules".
  std::string stage;  ///< A stage of attention; empty elsewhere, or if nothing tells the stage.

  std::string words() const { return part + (stage.empty() ? "" : ": ") + stage; }
  auto operator<=>(const KernelPlace&) const = default;
};

/// Returns the place of a kernel that `outermost_op` and, inside of it, `innermost_op` launched in
/// the module at `module_path`, "layers/attn/q_proj". The first module of the path whose name tells
/// a role decides the role; without one, "aten::layer_norm" and the like make it a norm. QKᵀ, scale
/// and mask, and A·V are separate stages only if the network opens the ranges "computing attention
/// scores" and "final matmul" inside attention.
KernelPlace place_of(std::string_view module_path, std::string_view outermost_op,
                     std::string_view innermost_op);

}  // namespace labreport
