// Paths of modules, as ranges name them: "layers.3/attn/q_proj".
#pragma once

#include <string>

namespace labreport {

/// "layers.3/attn/q_proj" → "layers/attn/q_proj": one of many alike.
std::string without_layer(const std::string& module);

}  // namespace labreport
