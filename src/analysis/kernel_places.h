// Which part of a network a kernel serves, whatever the network's modules are called.
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
inline constexpr const char* kBlocks = "blocks themselves";  ///< What no module within them does.

}  // namespace role

namespace stage {

inline constexpr const char* kProjections = "projections";  ///< GEMMs of attention's layers.
inline constexpr const char* kScores = "QKᵀ";
inline constexpr const char* kScaleMask = "scale and mask";
inline constexpr const char* kSoftmax = "softmax";
inline constexpr const char* kValues = "A·V";
inline constexpr const char* kProducts = "QKᵀ and A·V";  ///< Where ranges do not tell which.
inline constexpr const char* kRope = "RoPE";
inline constexpr const char* kFused = "fused kernel";

}  // namespace stage

struct KernelPlace {
  std::string part;   ///< A role; without one the module's path, or "outside of modules".
  std::string stage;  ///< Of attention; empty where operator and module do not tell it.

  std::string words() const { return part + (stage.empty() ? "" : ": ") + stage; }
  auto operator<=>(const KernelPlace&) const = default;
};

/// By the role that its module's name tells. QKᵀ, scale and mask, and A·V are told apart by ranges
/// inside attention: "computing attention scores", "final matmul".
///
/// `module` is a path, "layers/attn/q_proj", `operation` the outermost operator of the kernel and
/// `op` the innermost.
KernelPlace place_of(std::string_view module, std::string_view operation, std::string_view op);

}  // namespace labreport
