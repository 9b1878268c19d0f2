#include "analysis/profiled_step.h"

#include <algorithm>

namespace labreport {

const Launch* profiled_step(const Cell* cell) {
  if (cell == nullptr || cell->spec.kind != CellKind::kKernels || cell->spec.steps == 0) {
    return nullptr;
  }
  const auto ok = std::ranges::find_if(cell->launches,
                                       [](const Launch& launch) { return is_ok(launch.outcome); });
  return ok == cell->launches.end() ? nullptr : &*ok;
}

}  // namespace labreport
