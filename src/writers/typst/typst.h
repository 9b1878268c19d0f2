// The report as one Typst source, report.typ, and its parts as pieces for another document.
#pragma once

#include <set>
#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

enum class Paper { kA4, kLetter };

struct TypstOptions {
  Answers answers = Answers::kFull;
  Paper paper = Paper::kA4;
  std::set<std::string> pictures;  ///< Of notes: what will lie beside the source, as linked.
  std::string run = {};            ///< From the source to the run's folder: "../", or empty.
};

/// Figures are "charts/narrow/<slug>.svg" beside the source; those that `drawings` lacks are left
/// to their data tables. What a details holds stands in an appendix, its long tables are left to
/// the page.
std::string report_typst(const Document& document, const Drawings& drawings,
                         const TypstOptions& options);

/// A part without its details, and without a preamble: plain Typst, to be included in any document.
std::string part_typst(const Document& document, const Part& part, const Drawings& drawings,
                       const TypstOptions& options);

}  // namespace labreport
