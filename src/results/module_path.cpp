#include "results/module_path.h"

#include <algorithm>
#include <charconv>

namespace labreport {
namespace {

/// True for a layer's number with its dot, such as ".31".
bool is_number(std::string_view step) {
  return step.size() > 1 && step.front() == '.' &&
         step.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

std::string without_layer(const std::string& module) {
  std::string path;
  std::size_t at = 0;
  while (at < module.size()) {
    const std::size_t end = std::min(module.find_first_of("./", at + 1), module.size());
    if (!is_number(std::string_view(module).substr(at, end - at)))
      path += module.substr(at, end - at);
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
