#include "orchestrate/affinity.h"

#include <fmt/format.h>

namespace labreport {

std::string affinity_group(const CellSpec& spec) {
  std::string group(name(spec.kind));
  if (!spec.model) return group;
  const ModelShape& model = *spec.model;
  group += fmt::format(".d{}-f{}-l{}-h{}-v{}.b{}", model.d_model, model.d_ff, model.layers,
                       model.heads, model.vocab, spec.batch.value_or(0));
  if (spec.kind == CellKind::kTiming) group += fmt::format(".c{}", spec.context.value_or(0));
  return group;
}

}  // namespace labreport
