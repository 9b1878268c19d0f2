// Figures and tables where section.md places them, made of a part's datasets.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/section.h"

namespace labreport {

/// Words with their tags filled; `block` is named in errors.
using Filler = std::function<std::string(const std::string& words, const std::string& block)>;

/// Adds to `part` what `exhibit` makes of the datasets that it names: one figure or table each,
/// none for a dataset without rows.
void place_exhibit(const Exhibit& exhibit, const std::vector<Dataset>& datasets, const Filler& fill,
                   const FigureFiles& figures, Part& part);

}  // namespace labreport
