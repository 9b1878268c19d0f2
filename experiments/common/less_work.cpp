#include "experiments/common/less_work.h"

#include "results/shipped_variant.h"

namespace labreport {

std::string less_work(const Run& run) {
  // Other warnings of these launches name dtypes. See labreport_worker.py, `with_remarks`.
  constexpr std::string_view kFinding = "'s steps do less than training steps: ";
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind != CellKind::kDtypes || is_shipped(cell.spec)) continue;
    for (const Launch& launch : cell.launches) {
      for (const std::string& warning : launch.warnings) {
        if (warning.find(kFinding) != warning.npos) return warning;
      }
    }
  }
  return "";
}

}  // namespace labreport
