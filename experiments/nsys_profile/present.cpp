#include "experiments/nsys_profile/present.h"

#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {

Presentation present(const RunView& view) {
  const Profiles profiles(view);
  if (profiles.all.empty()) return {};
  Presentation shown{{"a", timer_vs_profiler(profiles)},
                     {"b", top_kernels(profiles)},
                     {"c", non_gemm_kernels(profiles)},
                     {"d", kernel_classes(profiles)},
                     {"e", attention(profiles)}};
  for (auto& [letter, part] : shown) {
    const bool one_precision = letter == "a" || letter == "b";
    for (const Profile* profile :
         one_precision ? profiles.shown : profiles.shown_in_every_precision) {
      part.cells.insert(part.cells.end(), profile->cells.begin(), profile->cells.end());
    }
  }
  return shown;
}

}  // namespace labreport::nsys_profile
