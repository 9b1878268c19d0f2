// Markdown parsed for every writer: math cut out, nothing unsafe left in it.
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

struct ParsedMarkdown {
  MarkdownTree tree;
  std::vector<MathSpan> spans;  ///< Texts hold marks in their place: see `at_marks`.
};

/// GitHub's Markdown (tables, ~~strikethrough~~, bare addresses as links, unless a word of the text
/// has more than 1,000 bytes). Raw HTML is text, its
/// comments are left out. Links lead to http, https or relative addresses, others are their text
/// alone; pictures are relative, those from elsewhere become links. Only texts hold marks.
ParsedMarkdown parse_markdown(std::string_view markdown);

/// The texts at and below a node in one.
std::string text_inside(cmark_node* node);

}  // namespace labreport
