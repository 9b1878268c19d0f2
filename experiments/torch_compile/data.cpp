#include <algorithm>

#include "experiments/problems.h"
#include "experiments/torch_compile/parts.h"

namespace labreport::torch_compile {

bool warm_cache(const Run& run) {
  return std::ranges::any_of(run.sessions, [](const Session& session) {
    const auto found = session.environment.find("TORCHINDUCTOR_CACHE_DIR");
    return found != session.environment.end() && !found->second.ends_with("(cleared)");
  });
}

Presentation present(const RunView& view) {
  Presentation shown;
  if (auto part = present_attention(view)) shown.emplace("a", std::move(*part));
  if (auto part = present_network(view)) shown.emplace("b", std::move(*part));
  return shown;
}

}  // namespace labreport::torch_compile
