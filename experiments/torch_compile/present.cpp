#include <algorithm>

#include "experiments/problems.h"
#include "experiments/torch_compile/present.h"

namespace labreport::torch_compile {

bool shares_compile_cache(const Run& run) {
  return std::ranges::any_of(run.sessions, [](const Session& session) {
    const auto folder = session.environment.find("TORCHINDUCTOR_CACHE_DIR");
    return folder != session.environment.end() && !folder->second.ends_with("(cleared)");
  });
}

Presentation present(const RunView& view) {
  Presentation parts;
  if (auto part = present_attention(view)) parts.emplace("a", std::move(*part));
  if (auto part = present_network(view)) parts.emplace("b", std::move(*part));
  return parts;
}

}  // namespace labreport::torch_compile
