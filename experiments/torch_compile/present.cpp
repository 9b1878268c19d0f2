#include <algorithm>

#include "experiments/problems.h"
#include "experiments/torch_compile/present.h"

namespace labreport::torch_compile {

bool warm_cache(const Run& run) {
  return std::ranges::any_of(run.sessions, [](const Session& session) {
    const auto cache = session.environment.find("TORCHINDUCTOR_CACHE_DIR");
    return cache != session.environment.end() && !cache->second.ends_with("(cleared)");
  });
}

Presentation present(const RunView& view) {
  Presentation parts;
  if (auto part = present_attention(view)) parts.emplace("a", std::move(*part));
  if (auto part = present_network(view)) parts.emplace("b", std::move(*part));
  return parts;
}

}  // namespace labreport::torch_compile
