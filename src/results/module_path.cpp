#include "results/module_path.h"

#include <algorithm>

namespace labreport {

std::string without_layer(const std::string& module) {
  const auto end = std::min(module.find('/'), module.size());
  const auto dot = module.find('.');
  if (dot >= end) return module;
  return module.substr(0, dot) + module.substr(end);
}

}  // namespace labreport
