#include "notes/note_markdown.h"

#include <cmark-gfm.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/printable.h"
#include "base/text.h"
#include "document/markdown_tree.h"

namespace labreport {
namespace {

using Iterator = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

constexpr int kDeepestList = 24;  // Every reader's stack is deeper, no author's thought is.
constexpr int kHeadingShift = 3;  // A part's own heading is the third.
constexpr int kLowestHeading = 6;
// A noncharacter stands for a dollar that opens no math, until Markdown is written again.
constexpr std::string_view kDollar = "\uFDD2";

/// Visits every node; the visitor may change or free the node, nothing else.
template <typename Visit>
void for_each_node(cmark_node* root, cmark_node_type type, Visit visit) {
  std::vector<cmark_node*> nodes;
  const Iterator iterator(cmark_iter_new(root), &cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == type) nodes.push_back(node);
  }
  std::ranges::for_each(nodes, visit);
}

bool nests_too_deeply(cmark_node* root) {
  int depth = 0;
  const Iterator iterator(cmark_iter_new(root), &cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    const bool leaf = cmark_node_first_child(cmark_iter_get_node(iterator.get())) == nullptr;
    if (leaf) continue;  // Some leaves are never left.
    depth += event == CMARK_EVENT_ENTER ? 1 : -1;
    if (depth > kDeepestList) return true;
  }
  return false;
}

void shift_headings(cmark_node* root) {
  for_each_node(root, CMARK_NODE_HEADING, [](cmark_node* node) {
    const int level = cmark_node_get_heading_level(node) + kHeadingShift;
    cmark_node_set_heading_level(node, std::min(level, kLowestHeading));
  });
}

/// Words below a heading or in a paragraph have the line of it.
int line_of(cmark_node* node) {
  while (node != nullptr && cmark_node_get_start_line(node) == 0) node = cmark_node_parent(node);
  return node == nullptr ? 0 : cmark_node_get_start_line(node);
}

void place_pictures(cmark_node* root, const FindPicture& find, std::vector<NoteProblem>& problems) {
  for_each_node(root, CMARK_NODE_IMAGE, [&](cmark_node* image) {
    const PictureAnswer answer = find(cmark_node_get_url(image));
    if (!answer.problem.empty()) problems.push_back({line_of(image), answer.problem});
    if (answer.address) {
      cmark_node_set_url(image, answer.address->c_str());
      return;
    }
    while (cmark_node* child = cmark_node_first_child(image)) {
      cmark_node_insert_before(image, child);
    }
    cmark_node_free(image);
  });
}

/// A dollar that is none of math's must not become one when the text is read again.
void mark_dollars(cmark_node* root) {
  for_each_node(root, CMARK_NODE_TEXT, [](cmark_node* node) {
    const std::string text = cmark_node_get_literal(node);
    cmark_node_set_literal(node, replaced(text, "$", kDollar).c_str());
  });
}

/// TeX that says the same and is no markup to a reader of Markdown that knows no math.
std::string harmless_tex(const MathSpan& span) {
  std::string tex = replaced(replaced(span.tex, "<", "\\lt "), ">", "\\gt ");
  tex = replaced(replaced(std::move(tex), "](", "] ("), "`", "'");
  return MathSpan{std::move(tex), span.display}.source();
}

std::string written(cmark_node* root, const std::vector<MathSpan>& spans) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      cmark_render_commonmark(root, CMARK_OPT_DEFAULT, 0), &std::free);
  std::string markdown;
  for (const CutPiece& piece : at_marks(text.get(), spans)) {
    markdown += piece.span == nullptr ? piece.text : harmless_tex(*piece.span);
  }
  markdown = replaced(std::move(markdown), kDollar, "\\$");
  while (markdown.ends_with('\n')) markdown.pop_back();
  return markdown;
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.starts_with("\uFEFF")) text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    // A carriage return alone ends a line too.
    if (rest.front() == '\r' && !rest.starts_with("\r\n")) clean.push_back('\n');
    const bool kept = rest.front() == '\n' || rest.front() == '\t';
    const std::size_t control = kept ? 0 : control_length(rest);
    if (control == 0) clean.push_back(rest.front());
    i += std::max<std::size_t>(control, 1);
  }
  return clean;
}

std::string without_comments(std::string_view text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t open = std::min(text.find("<!--", begin), text.size());
    kept.append(text.substr(begin, open - begin));
    const std::size_t close = std::min(text.find("-->", open), text.size());
    const std::string_view comment = text.substr(open, close - open);
    kept.append(static_cast<std::size_t>(std::ranges::count(comment, '\n')), '\n');
    begin = close == text.size() ? close : close + 3;
  }
  return kept;
}

SafeMarkdown safe_markdown(std::string_view markdown, const FindPicture& find_picture) {
  const ParsedMarkdown parsed = parse_markdown(replaced(std::string(markdown), kDollar, ""));
  cmark_node* root = parsed.tree.get();
  SafeMarkdown safe;
  if (nests_too_deeply(root)) {
    safe.problems.push_back({0, "lists or quotes nest more than " + std::to_string(kDeepestList) +
                                    " levels deep: the note is left out"});
    return safe;
  }
  shift_headings(root);
  place_pictures(root, find_picture, safe.problems);
  mark_dollars(root);
  safe.markdown = written(root, parsed.spans);
  return safe;
}

}  // namespace labreport
