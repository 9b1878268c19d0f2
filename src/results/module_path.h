// Handles paths of modules as the profiler's ranges have them: "layers.3/attn/q_proj".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace labreport {

/// Removes the layer's number, so that the same module of all layers has one path:
/// "layers.3/attn/q_proj" → "layers/attn/q_proj".
std::string without_layer(const std::string& module);

/// Returns the layer's number: "layers.3/attn/q_proj" → 3; empty outside the layers.
std::optional<std::int64_t> layer_number(std::string_view module);

}  // namespace labreport
