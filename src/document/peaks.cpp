#include "document/peaks.h"

#include <algorithm>

#include "base/lists.h"
#include "document/charts/charts.h"

namespace labreport {

const std::vector<CategoryWords>& memory_categories() {
  static const std::vector<CategoryWords> all{{metric::kParameters, "parameters"},
                                              {metric::kGradients, "gradients"},
                                              {metric::kOptimizerMemory, "optimizer state"},
                                              {metric::kData, "inputs"},
                                              {metric::kActivations, "activations"},
                                              {metric::kWeightCopies, "weight copies"},
                                              {metric::kWorkspace, "workspace"},
                                              {metric::kTemporary, "temporary"},
                                              {metric::kUnknown, "unknown"}};
  return all;
}

std::string category_words(const std::string& name) {
  const auto found = std::ranges::find(memory_categories(), name, &CategoryWords::name);
  return found == memory_categories().end() ? name : std::string(found->words);
}

std::string mode_words(Mode mode) {
  if (mode == Mode::kInference) return "inference forward";
  if (mode == Mode::kForward) return "forward with grad";
  return std::string(describe(mode));
}

std::string pass_words(const std::string& phase) {
  if (phase == metric::kForward || phase == metric::kBackward) return "the " + phase + " pass";
  if (phase == metric::kOptimizer) return "the optimizer step";
  return phase.empty() ? "no phase" : "the " + phase;
}

nlohmann::json peak_part_colors() {
  return series_scale("color", each(kPeakParts, [](const auto& part) {
                        return category_words(std::string(part.first));
                      }));
}

nlohmann::json peak_formulas(CellSpec spec, std::int64_t workspace_bytes) {
  const auto peaks_at = [&](std::int64_t batch, std::int64_t context) {
    spec.batch = batch;
    spec.context = context;
    return possible_peaks(spec);
  };
  // The peaks at four pairs (B, S) give the four coefficients exactly.
  const auto peaks_0_0 = peaks_at(0, 0), peaks_0_1 = peaks_at(0, 1);
  const auto peaks_1_1 = peaks_at(1, 1), peaks_1_2 = peaks_at(1, 2);
  nlohmann::json peaks = nlohmann::json::array();
  for (std::size_t i = 0; i < peaks_0_0.size(); ++i) {
    nlohmann::json parts = nlohmann::json::array();
    for (const auto& [name, bytes] : kPeakParts) {
      const std::int64_t c0 = peaks_0_0[i].*bytes;
      const std::int64_t c3 = peaks_0_1[i].*bytes - c0;
      const std::int64_t c1_plus_c2 = peaks_1_1[i].*bytes - c0 - c3;
      const std::int64_t c2 = (peaks_1_2[i].*bytes - c0 - 4 * c3 - 2 * c1_plus_c2) / 2;
      const std::int64_t added = name == metric::kTemporary ? workspace_bytes : 0;
      parts.push_back({c0 + added, c1_plus_c2 - c2, c2, c3});
    }
    peaks.push_back({{"phase", pass_words(std::string(peaks_0_0[i].phase))}, {"parts", parts}});
  }
  return peaks;
}

}  // namespace labreport
