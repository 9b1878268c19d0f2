#include "experiments/common/planning.h"

#include "experiments/common/selection.h"

namespace labreport {

void Planning::add(CellSpec step, Mode mode) {
  step.mode = mode;
  if (mode_wanted(input, mode)) cells.push_back({step, 1});
}

ContextSearch Planning::add_context_search(CellSpec step) {
  ContextSearch search = search_contexts(so_far, step);
  for (const std::int64_t context : search.contexts) {
    step.context = context;
    cells.push_back({step, 1});
  }
  return search;
}

}  // namespace labreport
