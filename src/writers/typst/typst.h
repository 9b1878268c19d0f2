// Writes the report as one Typst source, report.typ.
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
  std::set<std::string> pictures;  ///< Links to the notes' pictures beside the source.
};

/// The source names pictures "charts/narrow/<slug>.svg"; a figure that `drawings` lacks becomes a
/// table of its data. Details are in an appendix, without their long tables.
std::string report_typst(const Document& document, const Drawings& drawings,
                         const TypstOptions& options);

}  // namespace labreport
