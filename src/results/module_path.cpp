#include "results/module_path.h"

#include <algorithm>
#include <charconv>

namespace labreport {

std::string without_layer(const std::string& module) {
  const auto end = std::min(module.find('/'), module.size());
  const auto dot = module.find('.');
  if (dot >= end) return module;
  return module.substr(0, dot) + module.substr(end);
}

std::optional<std::int64_t> layer_number(std::string_view module) {
  constexpr std::string_view kLayers = "layers.";
  std::int64_t number = 0;
  if (!module.starts_with(kLayers)) return std::nullopt;
  const char* digits = module.data() + kLayers.size();
  const auto read = std::from_chars(digits, module.data() + module.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace labreport
