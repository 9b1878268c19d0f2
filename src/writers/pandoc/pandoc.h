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

/// Writes the report. A figure is a picture in charts/, or a table if `charts` lacks it.
std::string report_pandoc(const Document& document, const PrintedCharts& charts,
                          const PandocOptions& options);

/// Writes one part, without title and preamble, for \input in a document. `front` has the author.
std::string part_pandoc(const Part& part, const PrintedCharts& charts, const PandocOptions& options,
                        const FrontMatter& front);

}  // namespace labreport
