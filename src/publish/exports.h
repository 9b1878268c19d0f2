// What lies beside a report for other programs: spreadsheets, TeX, documents of one's own.
//
// Names are relative to the run's folder. A part is named "<problem>.<letter>", or by its problem
// alone. Pictures and links of a part lead on from the run's folder; in Typst pictures lead from
// parts/, where it looks for them.
#pragma once

#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/pandoc/pandoc.h"
#include "writers/typst/typst.h"

namespace labreport {

/// tables/<part>.csv, see table_csv.h.
std::vector<Attachment> table_files(const Document& document);

/// Of report.tex and parts/<part>.tex the trees from which pandoc writes them.
std::vector<Attachment> latex_trees(const Document& document, const Prints& prints,
                                    const PandocOptions& options);

/// Their pictures, charts/<slug>.pdf; charts/<slug>.png beside them.
std::vector<Attachment> print_files(const Document& document, const Prints& prints);

/// parts/<part>.md
std::vector<Attachment> markdown_parts(const Document& document, const Drawings& drawings,
                                       Answers answers);

/// parts/<part>.typ
std::vector<Attachment> typst_parts(const Document& document, const Drawings& drawings,
                                    const TypstOptions& options);

}  // namespace labreport
