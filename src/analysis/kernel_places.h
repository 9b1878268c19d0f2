// Which part of a network a kernel serves, whatever the network's modules are called.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// By the role that its module's name tells: "attention", "feed-forward", "norms", "embeddings",
/// "LM head". In attention also what it is for, as far as operator and module tell: "attention:
/// projections" (GEMMs of its layers), "attention: QKᵀ and A·V", "attention: softmax", "attention:
/// RoPE", "attention: fused kernel". Without such a name the module's own path; "blocks
/// themselves" for what no module within them does, "outside of modules" without a module.
///
/// `module` is a path, "layers/attn/q_proj", `operation` the outermost operator of the kernel and
/// `op` the innermost.
std::string place_of(std::string_view module, std::string_view operation, std::string_view op);

/// "attention" of "attention: softmax"; empty where the place is a whole role.
std::string place_around(const std::string& place);

}  // namespace labreport
