// Markdown's neutral tree as LaTeX, for pdflatex with amsmath, amssymb, graphicx and hyperref.
#pragma once

#include <string>
#include <string_view>

#include "document/rich_text.h"

namespace labreport {

/// Within a line. Formulas stand as they were written where they are sure to compile, as code
/// elsewhere; a picture that LaTeX cannot place is its words and what to do.
std::string latex_inlines(const Inlines& inlines);

/// Paragraphs and all else, an empty line after each. Headings have no number and stand below a
/// part's; a picture by itself is centred.
std::string latex_blocks(const Blocks& blocks);

/// `latex_blocks` of what the Markdown says. `formulas`: those that no section has.
std::string latex_markdown(std::string_view markdown, const Formulas& formulas = {});

/// `latex_inlines` of Markdown that is one paragraph; of several, one after the other.
std::string latex_line(std::string_view markdown);

}  // namespace labreport
