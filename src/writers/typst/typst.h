// Writes the report as one Typst source, report.typ, and its parts as pieces for another document.
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
  std::set<std::string> pictures;  ///< Notes' pictures beside the source, by link.
  std::string run = {};            ///< From the source to the run's folder: "../", or empty.
};

/// Figures are "charts/narrow/<slug>.svg" beside the source; one that `drawings` lacks is replaced
/// by its data table. Details are in an appendix, without their long tables.
std::string report_typst(const Document& document, const Drawings& drawings,
                         const TypstOptions& options);

/// A part without its details, and without a preamble: plain Typst, to be included in any document.
std::string part_typst(const Document& document, const Part& part, const Drawings& drawings,
                       const TypstOptions& options);

}  // namespace labreport
