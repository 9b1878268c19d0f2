// Writes the files of one run, each format by its own writer, and files for other programs:
// spreadsheets, TeX, the author's documents.
//
// Names of attachments are relative to the run's folder. A part is named "<problem>.<letter>", or
// by its problem alone. Pictures and links of a part are relative to the run's folder; in Typst
// pictures are relative to parts/, where it looks for them.
#pragma once

#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "publish/site.h"
#include "writers/html/html.h"
#include "writers/pandoc/pandoc.h"
#include "writers/typst/typst.h"

namespace labreport {

/// All files except PDF and LaTeX, which tools make for all runs at once, and except the page,
/// which names the others; in a fixed order.
std::vector<SiteFile> run_files(const SiteRun& run, const Drawings& drawings, const Prints& prints,
                                const SiteOptions& options);

/// The drawings and the data of interactive charts, below `folder`: "nvidia-h200/2025/<time>/", or
/// empty.
std::vector<SiteFile> picture_files(const std::string& folder, const Document& document,
                                    const Drawings& drawings);

/// The formats of a report among the site's files, as links for its page.
std::vector<FormatLink> formats_beside(const Site& site, const SiteRun& run);

/// The path from a page in `folder` to the site's root: "../../../".
std::string root_from(const std::string& folder);

TypstOptions typst_options(const Document& document, const SiteOptions& options);

/// The pictures of the author's notes that a typesetter can show.
std::vector<const Attachment*> note_pictures(const Document& document);

/// tables/<part>.csv, see table_csv.h.
std::vector<Attachment> table_files(const Document& document);

/// The trees from which pandoc writes report.tex and parts/<part>.tex.
std::vector<Attachment> latex_trees(const Document& document, const Prints& prints,
                                    const PandocOptions& options);

/// Pictures of the LaTeX files, charts/<slug>.pdf, with charts/<slug>.png beside them.
std::vector<Attachment> print_files(const Document& document, const Prints& prints);

/// parts/<part>.md
std::vector<Attachment> markdown_parts(const Document& document, const Drawings& drawings,
                                       Answers answers);

/// parts/<part>.typ
std::vector<Attachment> typst_parts(const Document& document, const Drawings& drawings,
                                    const TypstOptions& options);

}  // namespace labreport
