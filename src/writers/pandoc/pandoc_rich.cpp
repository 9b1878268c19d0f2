#include "base/text.h"
#include "writers/pandoc/pandoc_nodes.h"
#include "writers/visible_text.h"

namespace labreport {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTitleBytes = 400;
/// A longer address becomes no link, because TeX's time grows with the square of its length.
constexpr std::size_t kMostLinkBytes = 2000;
/// The content of a deeper list or quotation joins the one around it, because LaTeX nests at most
/// four lists of one kind and six in all.
constexpr int kMostNesting = 3;

/// Places the picture if pdflatex accepts its path and format, else writes why it is missing.
json picture(const Inline& piece) {
  constexpr std::string_view kPlainLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/";
  const std::string& path = piece.target;
  const bool has_known_ending = path.ends_with(".png") || path.ends_with(".jpg") ||
                                path.ends_with(".jpeg") || path.ends_with(".pdf");
  if (has_known_ending && path.find_first_not_of(kPlainLetters) == path.npos) {
    return json::array({pandoc_picture(path, "80%")});
  }
  return pandoc_words("[Picture: " + piece.text + " (" + path +
                      ", a kind that LaTeX cannot place: save it as PNG or JPEG)]");
}

json link(const Inline& piece) {
  json words = pandoc_inlines(piece.children);
  const bool is_link = !piece.target.starts_with('#') && piece.target.size() <= kMostLinkBytes;
  if (!is_link) return words;
  return json::array({pandoc_node(
      "Link", {pandoc_attributes(), words, json::array({visible_text(piece.target), ""})})});
}

json struck_out(const Inline& piece) {
  json words = pandoc_words("[");
  append(words, pandoc_inlines(piece.children));
  append(words, pandoc_words(" (struck out)]"));
  return words;
}

json formula(const Inline& piece, const char* kind) {
  return json::array({pandoc_node("Math", {{{"t", kind}}, visible_text(piece.text, true)})});
}

json inline_nodes(const Inline& piece) {
  switch (piece.kind) {
    case Inline::Kind::kText:
      return pandoc_words(piece.text);
    case Inline::Kind::kEmph:
      return json::array({pandoc_node("Emph", pandoc_inlines(piece.children))});
    case Inline::Kind::kStrong:
      return json::array({pandoc_node("Strong", pandoc_inlines(piece.children))});
    case Inline::Kind::kStrike:
      return struck_out(piece);
    case Inline::Kind::kCode:
      return pandoc_code(piece.text);
    case Inline::Kind::kLink:
      return link(piece);
    case Inline::Kind::kImage:
      return picture(piece);
    case Inline::Kind::kBreak:
      return json::array({json{{"t", "LineBreak"}}});
    case Inline::Kind::kMath:
    case Inline::Kind::kDisplay:  // A table's cell or emphasized text has no separate line.
      return formula(piece, "InlineMath");
  }
  return json::array();
}

json paragraph(const Inlines& inlines) {
  json nodes = json::array();
  for (const Inline& piece : inlines) {
    const bool is_display = piece.kind == Inline::Kind::kDisplay;
    append(nodes, is_display ? formula(piece, "DisplayMath") : inline_nodes(piece));
  }
  return pandoc_paragraph(nodes);
}

json blocks_at(const Blocks& blocks, int depth);

json list(const Block& block, int depth) {
  json items = json::array();
  json flattened = json::array();
  for (const Blocks& item : block.items) {
    items.push_back(blocks_at(item, depth + 1));
    append(flattened, items.back());
  }
  if (depth >= kMostNesting) return flattened;
  if (block.kind == Block::Kind::kBulletList)
    return json::array({pandoc_node("BulletList", items)});
  return json::array(
      {pandoc_node("OrderedList", {{block.start, {{"t", "Decimal"}}, {{"t", "Period"}}}, items})});
}

json block_nodes(const Block& block, int depth) {
  switch (block.kind) {
    case Block::Kind::kParagraph:
    case Block::Kind::kImage:
      return json::array({paragraph(block.inlines)});
    case Block::Kind::kHeading:
      return json::array({pandoc_heading(4, pandoc_inlines(block.inlines))});
    case Block::Kind::kBulletList:
    case Block::Kind::kNumberedList:
      return list(block, depth);
    case Block::Kind::kQuote: {
      json content = blocks_at(block.blocks, depth + 1);
      return depth >= kMostNesting ? content : json::array({pandoc_node("BlockQuote", content)});
    }
    case Block::Kind::kCode:
      return json::array({pandoc_listing(block.text)});
    case Block::Kind::kTable:
      return json::array({pandoc_table(block)});
    case Block::Kind::kRule:
      return json::array({json{{"t", "HorizontalRule"}}});
  }
  return json::array();
}

json blocks_at(const Blocks& blocks, int depth) {
  json nodes = json::array();
  for (const Block& block : blocks) append(nodes, block_nodes(block, depth));
  return nodes;
}

}  // namespace

json pandoc_node(const char* type, json content) {
  return {{"t", type}, {"c", std::move(content)}};
}

json pandoc_attributes(const std::string& id) { return {id, json::array(), json::array()}; }

void append(json& blocks, const json& more) {
  blocks.insert(blocks.end(), more.begin(), more.end());
}

json pandoc_words(std::string_view text) {
  const json space{{"t", "Space"}};
  json nodes = json::array();
  const std::string words = paper_words(text);
  std::string_view rest = words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) nodes.push_back(pandoc_node("Str", rest.substr(0, end)));
    if (end == rest.size()) break;
    if (nodes.empty() || nodes.back() != space) nodes.push_back(space);
    rest.remove_prefix(end + 1);
  }
  return nodes;
}

json pandoc_emph(std::string_view text) {
  return json::array({pandoc_node("Emph", pandoc_words(text))});
}

json pandoc_title(std::string_view text) { return pandoc_words(cut_short(text, kMostTitleBytes)); }

json pandoc_code(std::string_view text) {
  return json::array({pandoc_node("Code", {pandoc_attributes(), paper_code(text)})});
}

json pandoc_line(std::string_view markdown) {
  json nodes = json::array();
  for (const Block& block : rich_text(markdown)) {
    if (!nodes.empty()) nodes.push_back({{"t", "Space"}});
    append(nodes, pandoc_inlines(block.inlines));
  }
  return nodes;
}

json pandoc_inlines(const Inlines& inlines) {
  json nodes = json::array();
  for (const Inline& piece : inlines) append(nodes, inline_nodes(piece));
  return nodes;
}

json pandoc_paragraph(json inlines) { return pandoc_node("Para", std::move(inlines)); }

json pandoc_heading(int level, json inlines, const std::string& id) {
  return pandoc_node("Header", {level, pandoc_attributes(id), std::move(inlines)});
}

json pandoc_listing(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  json lines = json::array();
  for (const std::string& line : split(text, '\n')) lines.push_back(pandoc_code(line));
  return pandoc_node("LineBlock", lines);
}

json pandoc_picture(const std::string& path, const char* width) {
  const json attributes = {"", json::array(), json::array({json::array({"width", width})})};
  return pandoc_node("Image", {attributes, json::array(), {path, ""}});
}

json pandoc_blocks(std::string_view markdown, const Formulas& formulas) {
  return blocks_at(rich_text(markdown, formulas), 0);
}

}  // namespace labreport
