// Words for the categories, steps and phases of memory peaks, and formulas of their bytes for the
// page "What fits?".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport {

/// The name and the words of one use of memory.
struct CategoryWords {
  std::string_view name;   ///< "optimizer_states", the name in metrics.
  std::string_view words;  ///< "optimizer state", the words in reports.
};

/// All categories in the order in which charts stack them, the lowest first.
const std::vector<CategoryWords>& memory_categories();

/// The words for a category; any other name is returned unchanged.
std::string category_words(const std::string& name);

/// "inference forward", "forward with grad", "training step".
std::string mode_words(Mode mode);

/// "the backward pass", "the optimizer step"
std::string pass_words(const std::string& phase);

/// The parts of a predicted peak, each with the name of its category.
inline constexpr std::pair<std::string_view, std::int64_t ExpectedPeak::*> kPeakParts[]{
    {metric::kParameters, &ExpectedPeak::parameters},
    {metric::kGradients, &ExpectedPeak::gradients},
    {metric::kOptimizerMemory, &ExpectedPeak::moments},
    {metric::kActivations, &ExpectedPeak::activations},
    {metric::kWeightCopies, &ExpectedPeak::weight_copies},
    {metric::kTemporary, &ExpectedPeak::temporaries}};

// The functions below make data for site/what_fits.js.

/// Returns the color scale of a peak's parts: {"domain": words, "range": colors}.
nlohmann::json peak_part_colors();

/// Returns the step's possible peaks, of which the largest is the peak of the step:
/// [{"phase": "the backward pass", "parts": [[c₀, c₁, c₂, c₃], …]}, …]. At batch B and context S a
/// part has c₀ + c₁ B S + c₂ B S² + c₃ S² bytes. The spec's own batch and context do not matter.
/// `workspace_bytes` are added to the temporary part.
nlohmann::json peak_formulas(CellSpec spec, std::int64_t workspace_bytes);

}  // namespace labreport
