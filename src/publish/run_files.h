// Writes the files of one run in the requested formats.
//
// Names of attachments are relative to the run's folder. A part is named "<problem>.<letter>", or
// "<problem>" if it has no letter. Pictures and links in a part's file are relative to the run's
// folder.
#pragma once

#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "publish/site.h"
#include "writers/html/html.h"
#include "writers/markdown/paper.h"
#include "writers/typst/typst.h"

namespace labreport {

/// Returns the run's files in a fixed order, except PDF and LaTeX, which are made for all runs at
/// once, and the page, which links to all other files.
std::vector<SiteFile> run_files(const SiteRun& run, const Drawings& drawings,
                                const PrintedCharts& prints, const SiteOptions& options);

/// Returns the drawn charts and the script with their specs. `folder` ends in '/' or is empty.
std::vector<SiteFile> picture_files(const std::string& folder, const Document& document,
                                    const Drawings& drawings);

/// Returns links from a run's page to the other formats of its report that the site has.
std::vector<FormatLink> links_to_other_formats(const Site& site, const SiteRun& run);

/// Returns the path from a page in `folder`, which is not empty, to the site's root: "../../../".
std::string root_from(const std::string& folder);

TypstOptions typst_options(const Document& document, const SiteOptions& options);

/// Returns the pictures of the author's notes that a typesetter can show.
std::vector<const Attachment*> note_pictures(const Document& document);

/// Returns tables/<name>.csv for each of `named_tables`.
std::vector<Attachment> table_files(const Document& document);

/// Returns the Markdown for paper of which pandoc makes report.tex and parts/<part>.tex.
std::vector<Attachment> latex_sources(const Document& document, const PrintedCharts& prints,
                                      const PaperOptions& options);

/// Returns pictures of the figures for LaTeX: charts/<slug>.pdf and charts/<slug>.png.
std::vector<Attachment> print_files(const Document& document, const PrintedCharts& prints);

/// Returns parts/<part>.md for each part of the handout.
std::vector<Attachment> markdown_parts(const Document& document, const Drawings& drawings,
                                       Answers answers);

}  // namespace labreport
