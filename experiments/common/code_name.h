// Names the code that measured a cell.
#pragma once

#include <string>

#include "results/cell.h"

namespace labreport {

/// Returns "labreport", or the name of the user's code.
inline std::string code_name(const CellSpec& spec) {
  return spec.implementation.empty() ? "labreport" : name_without_digest(spec.implementation);
}

}  // namespace labreport
