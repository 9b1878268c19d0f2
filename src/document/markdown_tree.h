// Parses Markdown for every writer: math is cut out, and nothing unsafe is left.
#pragma once

#include <cmark-gfm.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/formulas.h"

namespace labreport {

struct FreeMarkdownNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using MarkdownTree = std::unique_ptr<cmark_node, FreeMarkdownNode>;

/// A link or a picture whose address leads where a page may not, so that only its words stay.
struct DroppedLink {
  int line = 0;  ///< The line of the Markdown, from 1.
  std::string address;
};

struct ParsedMarkdown {
  MarkdownTree tree;
  std::vector<MathSpan> spans;            ///< Texts have marks in place of these; see `at_marks`.
  std::vector<DroppedLink> dropped = {};  ///< Without bare mail addresses, which stay text.
};

/// GitHub's Markdown (tables, ~~strikethrough~~, bare addresses as links, unless a word of the text
/// has more than 1,000 bytes). Raw HTML is text, its comments are left out. Links lead to http,
/// https or relative addresses, others are their text alone; pictures are relative, those from
/// elsewhere become links. Only texts contain marks.
ParsedMarkdown parse_markdown(std::string_view markdown);

/// The line on which a node begins, or the block around it if the parser records none.
int line_of(cmark_node* node);

/// The texts at and below a node in one.
std::string text_inside(cmark_node* node);

}  // namespace labreport
