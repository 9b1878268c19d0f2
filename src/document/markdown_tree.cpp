#include "document/markdown_tree.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>

#include <algorithm>

#include "base/text.h"

namespace labreport {
namespace {

using Spans = std::vector<MathSpan>;
using Iterator = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// The search for addresses takes time quadratic in a word's length.
constexpr std::size_t kMaxWordBytes = 1000;

bool has_long_word(std::string_view text) {
  std::size_t length = 0;
  return std::ranges::any_of(text, [&](char letter) {
    length = letter == ' ' || letter == '\n' || letter == '\t' ? 0 : length + 1;
    return length > kMaxWordBytes;
  });
}

/// True for an address relative to the page: no scheme, no host.
bool is_relative(std::string_view address) {
  if (address.starts_with("//") || address.find('\\') != address.npos) return false;
  const std::size_t colon = address.find(':');
  return colon == address.npos || colon > address.find_first_of("/?#");
}

bool is_web(std::string_view address) {
  const std::string scheme = lower(address.substr(0, address.find("//")));
  return address.find("//") != address.npos && (scheme == "http:" || scheme == "https:");
}

std::string without_comments(std::string_view text) {
  std::string outside;
  for (std::size_t open; (open = text.find("<!--")) != text.npos;) {
    outside.append(text.substr(0, open));
    const std::size_t close = text.find("-->", open);
    text.remove_prefix(close == text.npos ? text.size() : close + 3);
  }
  return outside.append(text);
}

/// Replaces a link or picture by its words if its address is not http, https or relative. A picture
/// at an http or https address becomes a link, so that the page loads nothing from there.
void make_address_safe(cmark_node* node, ParsedMarkdown& parsed) {
  const bool is_picture = cmark_node_get_type(node) == CMARK_NODE_IMAGE;
  const std::string url = with_math_source(text_or_empty(cmark_node_get_url(node)), parsed.spans);
  if (!is_web(url) && !is_relative(url)) {
    // The parser makes links of bare mail addresses, about which the author needs no warning.
    if (url != "mailto:" + text_inside(node)) parsed.dropped_links.push_back({line_of(node), url});
    while (cmark_node* child = cmark_node_first_child(node)) cmark_node_insert_before(node, child);
    cmark_node_free(node);
  } else if (!is_picture) {
    cmark_node_set_url(node, url.c_str());
  } else if (is_relative(url)) {
    cmark_node_set_url(node, url.c_str());
    // The alternative text becomes plain text, in which formulas are TeX.
    const std::string text = with_math_source(text_inside(node), parsed.spans);
    while (cmark_node* child = cmark_node_first_child(node)) cmark_node_free(child);
    if (!text.empty()) cmark_node_append_child(node, text_node(text));
  } else {
    cmark_node* link = cmark_node_new(CMARK_NODE_LINK);
    cmark_node_set_url(link, url.c_str());
    while (cmark_node* child = cmark_node_first_child(node)) cmark_node_append_child(link, child);
    cmark_node_insert_before(node, link);
    cmark_node_free(node);
  }
}

/// Returns the value of an attribute if it stands in quotes; else an empty text.
std::string quoted_attribute(std::string tag, const std::string& name) {
  std::ranges::replace_if(tag, [](char letter) { return letter == '\n' || letter == '\t'; }, ' ');
  const std::size_t found = lower(tag).find(" " + name + "=");
  const std::size_t quote = found + name.size() + 2;
  if (found == tag.npos || quote >= tag.size()) return "";
  if (tag[quote] != '"' && tag[quote] != '\'') return "";
  return tag.substr(quote + 1, tag.find(tag[quote], quote + 1) - quote - 1);
}

/// Returns the width of an `<img>` as the title by which `parse_markdown` keeps it, or an empty
/// text.
std::string width_title(const std::string& tag) {
  const std::size_t found = tag.find(" width=");
  if (found == tag.npos) return "";
  const std::size_t start =
      tag.find_first_not_of("'\"", found + std::string_view(" width=").size());
  const std::size_t end = std::min(tag.find_first_not_of("0123456789", start), tag.size());
  if (start >= end || end - start > 4) return "";
  return "width=" + tag.substr(start, end - start) + (tag.substr(end, 1) == "%" ? "%" : "");
}

/// True for tags and spaces alone.
bool has_no_words(std::string_view html) {
  bool is_inside = false;
  return std::ranges::all_of(html, [&](char letter) {
    const bool is_tags = is_inside || letter == '<' || letter == ' ' || letter == '\n';
    is_inside = (is_inside || letter == '<') && letter != '>';
    return is_tags;
  });
}

/// Returns nodes that show HTML as its source. Pictures that name their file become pictures, and
/// tags around a picture have nothing more to say.
std::vector<cmark_node*> nodes_of_html(const std::string& html, MarkdownSource source) {
  std::vector<cmark_node*> nodes;
  std::size_t shown_end = 0;
  const std::string small = lower(html);
  for (std::size_t open = 0, close = 0; source == MarkdownSource::kAuthor; open = close) {
    open = small.find("<img", open);
    close = small.find('>', open);
    if (open == small.npos || close == small.npos) break;
    const std::string tag = html.substr(open, close - open);
    const std::string address = quoted_attribute(tag, "src");
    if (address.empty()) continue;
    const std::string before = html.substr(shown_end, open - shown_end);
    if (!has_no_words(before)) nodes.push_back(text_node(before));
    nodes.push_back(cmark_node_new(CMARK_NODE_IMAGE));
    cmark_node_set_url(nodes.back(), address.c_str());
    cmark_node_append_child(nodes.back(), text_node(quoted_attribute(tag, "alt")));
    cmark_node_set_title(nodes.back(), width_title(small.substr(open, close - open)).c_str());
    shown_end = close + 1;
  }
  const std::string rest = html.substr(shown_end);
  const bool is_shown = shown_end == 0 ? !rest.empty() : !has_no_words(rest);
  if (is_shown) nodes.push_back(text_node(rest));
  return nodes;
}

/// Replaces raw HTML by its source as plain text, so that no words of the author are lost.
void replace_html(cmark_node* node, ParsedMarkdown& parsed, MarkdownSource source) {
  const bool is_block = cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK;
  std::string html =
      without_comments(with_math_source(text_or_empty(cmark_node_get_literal(node)), parsed.spans));
  while (is_block && html.ends_with('\n')) html.pop_back();
  const std::vector<cmark_node*> nodes = nodes_of_html(html, source);
  // A block keeps its node, which knows its line.
  if (is_block && !nodes.empty()) cmark_node_set_type(node, CMARK_NODE_PARAGRAPH);
  for (cmark_node* piece : nodes) {
    is_block ? cmark_node_append_child(node, piece) : cmark_node_insert_before(node, piece);
    if (cmark_node_get_type(piece) == CMARK_NODE_IMAGE) make_address_safe(piece, parsed);
  }
  if (!is_block || nodes.empty()) cmark_node_free(node);
}

/// Lists all nodes, inner ones first, so that the caller may replace nodes in this order.
std::vector<cmark_node*> nodes_inside_out(cmark_node* root) {
  std::vector<cmark_node*> nodes;
  const Iterator iterator(cmark_iter_new(root), &cmark_iter_free);
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const bool children_are_listed = cmark_node_first_child(node) == nullptr ||
                                     cmark_iter_get_event_type(iterator.get()) == CMARK_EVENT_EXIT;
    // The iterator returns an empty container twice in a row.
    if (children_are_listed && (nodes.empty() || nodes.back() != node)) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

cmark_node* text_node(const std::string& text) {
  cmark_node* node = cmark_node_new(CMARK_NODE_TEXT);
  cmark_node_set_literal(node, text.c_str());
  return node;
}

int line_of(cmark_node* node) {
  while (node != nullptr && cmark_node_get_start_line(node) == 0) node = cmark_node_parent(node);
  return node == nullptr ? 0 : cmark_node_get_start_line(node);
}

std::string text_inside(cmark_node* node) {
  std::string text;
  const Iterator iterator(cmark_iter_new(node), &cmark_iter_free);
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    if (cmark_iter_get_event_type(iterator.get()) != CMARK_EVENT_ENTER) continue;
    cmark_node* inner = cmark_iter_get_node(iterator.get());
    const cmark_node_type type = cmark_node_get_type(inner);
    const bool is_break = type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK;
    text += is_break ? " " : text_or_empty(cmark_node_get_literal(inner));
  }
  return text;
}

ParsedMarkdown parse_markdown(std::string_view markdown, MarkdownSource source) {
  cmark_gfm_core_extensions_ensure_registered();
  const bool is_authors = source == MarkdownSource::kAuthor;
  CutMarkdown cut = is_authors ? cut_author_math(markdown) : cut_math(markdown);
  const int options = CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE | (is_authors ? CMARK_OPT_FOOTNOTES : 0);
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(options), &cmark_parser_free);
  std::vector<const char*> extensions{"table", "strikethrough"};
  if (!has_long_word(cut.markdown)) extensions.push_back("autolink");
  for (const char* extension : extensions) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(extension));
  }
  cmark_parser_feed(parser.get(), cut.markdown.data(), cut.markdown.size());
  ParsedMarkdown parsed{MarkdownTree(cmark_parser_finish(parser.get())), std::move(cut.spans)};
  cmark_consolidate_text_nodes(parsed.tree.get());
  for (cmark_node* node : nodes_inside_out(parsed.tree.get())) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK) {
      const std::string literal = text_or_empty(cmark_node_get_literal(node));
      cmark_node_set_literal(node, with_math_source(literal, parsed.spans).c_str());
    } else if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) {
      replace_html(node, parsed, source);
    } else if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) {
      make_address_safe(node, parsed);
    }
  }
  return parsed;
}

}  // namespace labreport
