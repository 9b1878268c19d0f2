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

/// A link or a picture whose address is neither http, https nor relative, so that only its words
/// stay.
struct DroppedLink {
  int line = 0;  ///< The line of the Markdown, from 1.
  std::string address;
};

struct ParsedMarkdown {
  MarkdownTree tree;
  std::vector<MathSpan> spans;            ///< Texts have marks in place of these; see `at_marks`.
  std::vector<DroppedLink> dropped = {};  ///< Without bare mail addresses, which stay text.
};

/// Parses GitHub's Markdown (tables, ~~strikethrough~~, bare addresses as links, unless a word of
/// the text has more than 1,000 bytes). Raw HTML becomes text without its comments. Links lead to
/// http, https or relative addresses; of other links only the words stay. A picture at an http or
/// https address becomes a link. Only text nodes contain marks of math.
ParsedMarkdown parse_markdown(std::string_view markdown);

/// The line on which a node begins, or the block around it if the parser records none.
int line_of(cmark_node* node);

/// All text in a node, joined; marks of math stay.
std::string text_inside(cmark_node* node);

}  // namespace labreport
