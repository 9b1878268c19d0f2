#include "results/module_path.h"

#include <algorithm>

#include "base/text.h"

namespace labreport {
std::string without_layer(const std::string& module) {
  std::string path;
  for (std::size_t begin = 0; begin < module.size();) {
    const std::size_t end = std::min(module.find_first_of("./", begin + 1), module.size());
    const std::string component = module.substr(begin, end - begin);
    const bool is_layer = component.size() > 1 && component.front() == '.' &&
                          component.find_first_not_of("0123456789", 1) == std::string::npos;
    if (!is_layer) path += component;
    begin = end;
  }
  return path;
}

std::optional<std::int64_t> layer_number(std::string_view module) {
  constexpr std::string_view kLayers = "layers.";
  if (!module.starts_with(kLayers)) return std::nullopt;
  return leading_number<std::int64_t>(module.substr(kLayers.size()));
}

}  // namespace labreport
