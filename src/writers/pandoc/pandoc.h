// Writes the report as pandoc's own tree in JSON, from which pandoc writes LaTeX with
// templates/report.latex.
//
// Everything from the run is text: no node is raw. The same input gives the same bytes.
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

/// The whole report. Pictures are in "charts/"; a figure without a print is replaced by its data as
/// a table.
std::string report_pandoc(const Document& document, const Prints& prints,
                          const PandocOptions& options);

/// One part, for \input in another document: the template gives it no preamble.
std::string part_pandoc(const Part& part, const Prints& prints, const PandocOptions& options,
                        const FrontMatter& front);

}  // namespace labreport
