#include "results/module_path.h"

#include <algorithm>
#include <charconv>

namespace labreport {
std::string without_layer(const std::string& module) {
  std::string path;
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find_first_of("./", at + 1), module.size());
    const std::string step = module.substr(at, end - at);
    const bool is_layer = step.size() > 1 && step.front() == '.' &&
                          step.find_first_not_of("0123456789", 1) == std::string::npos;
    if (!is_layer) path += step;
    at = end;
  }
  return path;
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
