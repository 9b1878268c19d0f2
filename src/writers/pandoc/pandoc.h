// The report as pandoc's own tree in JSON: what pandoc writes LaTeX from, with
// templates/report.latex.
//
// Everything of the run's is text: no node is raw. Same input, same bytes.
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

/// The whole report. Pictures lie in "charts/"; a figure without a print is left to its data as a
/// table.
std::string report_pandoc(const Document& document, const Prints& prints,
                          const PandocOptions& options);

/// One part, for \input in a document of one's own: the template gives it no preamble.
std::string part_pandoc(const Part& part, const Prints& prints, const PandocOptions& options,
                        const FrontMatter& front);

}  // namespace labreport
