// The files of one run, each format by its own writer.
#pragma once

#include <vector>

#include "publish/site.h"
#include "writers/html/html.h"
#include "writers/typst/typst.h"

namespace labreport {

/// All but PDF, which is typeset for all runs at once; in a fixed order.
std::vector<SiteFile> run_files(const SiteRun& run, const Drawings& drawings, const Prints& prints,
                                const SiteOptions& options, const PageOptions& page);

TypstOptions typst_options(const Document& document, const SiteOptions& options);

/// The pictures of the author's notes that a typesetter can show.
std::vector<const Attachment*> note_pictures(const Document& document);

}  // namespace labreport
