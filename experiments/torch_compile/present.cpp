#include "experiments/torch_compile/present.h"
#include "experiments/problems.h"

namespace labreport::torch_compile {

Presentation present(const RunView& view) {
  Presentation parts;
  if (auto part = present_attention(view)) parts.emplace("a", std::move(*part));
  if (auto part = present_network(view)) parts.emplace("b", std::move(*part));
  return parts;
}

}  // namespace labreport::torch_compile
