// Writes the report as Markdown for paper, of which site/paper.lua and templates/report.latex make
// LaTeX: without drawers, with what fits paper.
//
// The text begins with metadata, which name the formulas that are safe in LaTeX. Any other formula
// becomes code there, and pandoc reads nothing else as TeX or HTML.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/typst/typst.h"

namespace labreport {

struct PaperOptions {
  Answers answers = Answers::kFull;
  Paper paper = Paper::kA4;
};

/// Writes the report. A figure is a picture in charts/, or a table if `charts` lacks it.
std::string report_paper(const Document& document, const PrintedCharts& charts,
                         const PaperOptions& options);

/// Writes one part, without title and preamble, for \input in a document. `front` has the author.
std::string part_paper(const Part& part, const PrintedCharts& charts, const PaperOptions& options,
                       const FrontMatter& front);

}  // namespace labreport
