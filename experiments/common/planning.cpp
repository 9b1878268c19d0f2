#include "experiments/common/planning.h"

#include "experiments/common/selection.h"

namespace labreport {

void Planning::add(CellSpec step, Mode mode) {
  step.mode = mode;
  if (mode_wanted(input, mode)) cells.push_back({step, 1});
}

Doubling Planning::add_doubled(CellSpec step) {
  Doubling doubling = doubled_contexts(so_far, step);
  for (const std::int64_t context : doubling.contexts) {
    step.context = context;
    cells.push_back({step, 1});
  }
  return doubling;
}

}  // namespace labreport
