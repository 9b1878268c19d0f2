// Writes the report as pandoc's syntax tree in JSON, from which pandoc writes LaTeX with
// templates/report.latex.
//
// Text from the run never becomes a raw node, which could hold TeX commands.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/typst/typst.h"

namespace labreport {

struct PandocOptions {
  Answers answers = Answers::kFull;
  Paper paper = Paper::kA4;
};

/// Writes the whole report. Pictures are in "charts/"; a figure that `prints` lacks is a table.
std::string report_pandoc(const Document& document, const PrintedCharts& prints,
                          const PandocOptions& options);

/// Writes one part for \input in another document. It has no title and so gets no preamble.
std::string part_pandoc(const Part& part, const PrintedCharts& prints, const PandocOptions& options,
                        const FrontMatter& front);

}  // namespace labreport
