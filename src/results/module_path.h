// Paths of modules, as ranges name them: "layers.3/attn/q_proj".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace labreport {

/// "layers.3/attn/q_proj" → "layers/attn/q_proj": one of many alike, by numbers wherever they
/// stand.
std::string without_layer(const std::string& module);

/// "layers.3/attn/q_proj" → 3; nothing outside of the layers.
std::optional<std::int64_t> layer_number(std::string_view module);

}  // namespace labreport
