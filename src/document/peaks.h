// Words for the categories, steps and phases of memory peaks, and the bytes of peaks as formulas
// that a page computes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport {

/// A use of memory: the name of its column and the words for readers.
struct Category {
  std::string_view name;
  std::string_view words;
};

/// All categories in the order in which charts stack them, the lowest first.
const std::vector<Category>& categories();

/// The words for a category; any other name is returned unchanged.
std::string category_words(const std::string& name);

/// "inference forward", "forward with grad", "training step".
std::string mode_words(Mode mode);

/// "the backward pass", "the optimizer step"
std::string pass_words(const std::string& phase);

/// The parts of a predicted peak under their categories' names.
inline constexpr std::pair<std::string_view, std::int64_t ExpectedPeak::*> kPeakParts[]{
    {metric::kParameters, &ExpectedPeak::parameters},
    {metric::kGradients, &ExpectedPeak::gradients},
    {metric::kOptimizerStates, &ExpectedPeak::moments},
    {metric::kActivations, &ExpectedPeak::activations},
    {metric::kWeightCopies, &ExpectedPeak::weight_copies},
    {metric::kTemporary, &ExpectedPeak::temporaries}};

// The functions below make the data of site/what_fits.js.

/// The color scale of a peak's parts: their words are "domain", their colors "range".
nlohmann::json peak_part_colors();

/// The step's possible peaks, [{"phase": "the backward pass", "parts": [[c₀, c₁, c₂, c₃], …]}, …]:
/// at batch B and context S a part has c₀ + c₁ B S + c₂ B S² + c₃ S² bytes. The spec's own batch
/// and context do not matter. `workspace` (bytes) is added to the temporary part.
nlohmann::json peak_formulas(CellSpec spec, std::int64_t workspace);

}  // namespace labreport
