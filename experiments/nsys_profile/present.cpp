#include "experiments/problems.h"

#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {

Presentation present(const RunView& view) {
  const Profiles profiles(view);
  if (profiles.all.empty()) return {};
  Presentation parts{{"a", timer_vs_profiler(profiles)},
                     {"b", top_kernels(profiles)},
                     {"c", non_gemm_kernels(profiles)},
                     {"d", kernel_classes(profiles)},
                     {"e", attention(profiles)}};
  for (auto& [letter, part] : parts) {
    for (const KernelProfile* profile : profiles.in_tables) {
      part.cells.insert(part.cells.end(), profile->cells.begin(), profile->cells.end());
    }
  }
  return parts;
}

}  // namespace labreport::nsys_profile
