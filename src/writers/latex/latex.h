// The report as LaTeX that a plain TeX Live compiles with pdflatex, and its parts for including.
//
// Everything of the run's is text: escaped, never a command. Same input, same bytes.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/typst/typst.h"

namespace labreport {

struct LatexOptions {
  Answers answers = Answers::kFull;
  Paper paper = Paper::kA4;
  /// Where pictures lie, from the file that TeX is started on: "charts/". A figure without a print
  /// is left to its data as a table.
  std::string charts = "charts/";
};

/// report.tex: preamble, title block, contents, every section.
std::string report_latex(const Document& document, const Prints& prints,
                         const LatexOptions& options);

/// One part without a preamble, as a \subsection: for \input in a document of one's own. Its head
/// says which packages that document loads.
std::string part_latex(const Part& part, const Prints& prints, const LatexOptions& options,
                       const FrontMatter& front);

}  // namespace labreport
