// Parses Markdown for every writer. The tree contains marks in place of formulas, and nothing
// unsafe.
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

/// A link or picture of which only the words stay, because its address is neither http, https nor
/// relative.
struct DroppedLink {
  int line = 0;  ///< The line of the Markdown, from 1.
  std::string address;
};

struct ParsedMarkdown {
  MarkdownTree tree;
  std::vector<MathSpan> spans;  ///< Texts have marks in place of these; see `split_at_marks`.
  std::vector<DroppedLink> dropped_links = {};  ///< Bare mail addresses stay text and do not count.
};

enum class MarkdownSource {
  kReport,  ///< This program wrote the text.
  kAuthor,  ///< A person wrote it: `cut_author_math` finds formulas, and there may be footnotes.
};

/// Parses GitHub's Markdown: with tables and ~~strikethrough~~, and with links at bare addresses
/// unless a word of the text has more than 1,000 bytes. Raw HTML becomes text without its comments;
/// an author's <img> becomes a picture, whose title is "width=300" or "width=50%" if it has a
/// width. Links lead to http, https or relative addresses; of other links only the words stay. A
/// picture at an http or https address becomes a link. Only text nodes contain marks of formulas.
ParsedMarkdown parse_markdown(std::string_view markdown,
                              MarkdownSource source = MarkdownSource::kReport);

cmark_node* text_node(const std::string& text);

/// Returns the line, from 1, on which a node begins. If the parser recorded none, it is the line of
/// the block around the node, or 0.
int line_of(cmark_node* node);

/// Joins all text in a node. Marks of formulas stay.
std::string text_inside(cmark_node* node);

}  // namespace labreport
