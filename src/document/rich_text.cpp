#include "document/rich_text.h"

#include <cmark-gfm-core-extensions.h>

#include <algorithm>

#include "base/text.h"
#include "document/markdown_tree.h"

namespace labreport {
namespace {

/// Nobody nests deeper, and every writer's and typesetter's stack is large enough for this depth.
constexpr int kMaxNesting = 24;

std::string literal_text(const char* text) { return text == nullptr ? "" : text; }

std::string_view type_of(cmark_node* node) { return cmark_node_get_type_string(node); }

/// A picture of this width fills the line, also in site/paper.lua.
constexpr int kPixelsOfLine = 640;

/// Returns the share of the line that a picture takes according to its title (see
/// `parse_markdown`), or an empty text if the title gives no width.
std::string share_of_line(std::string_view title) {
  constexpr std::string_view kWidth = "width=";
  if (!title.starts_with(kWidth)) return "";
  int width = leading_number<int>(title.substr(kWidth.size())).value_or(0);
  if (width <= 0) return "";
  width = std::min(width, 10 * kPixelsOfLine);
  const int share = title.ends_with('%') ? width : width * 100 / kPixelsOfLine;
  return std::to_string(std::clamp(share, 1, 100)) + "%";
}

template <typename Visit>
void for_each_child(cmark_node* node, Visit visit) {
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr;
       child = cmark_node_next(child)) {
    visit(child);
  }
}

class TreeReader {
 public:
  TreeReader(const std::vector<MathSpan>& spans, const Formulas& formulas)
      : spans_(spans), formulas_(formulas) {}

  Blocks blocks(cmark_node* parent, int depth) const {
    Blocks found;
    for_each_child(parent, [&](cmark_node* node) { found.push_back(block(node, depth)); });
    return found;
  }

 private:
  Block block(cmark_node* node, int depth) const {
    if (depth >= kMaxNesting) {
      Block flat;
      add_text(flat.inlines, text_inside(node));
      return flat;
    }
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        return heading(node, depth);
      case CMARK_NODE_LIST:
        return list(node, depth);
      case CMARK_NODE_BLOCK_QUOTE:
        return quote(node, depth);
      case CMARK_NODE_CODE_BLOCK:
        return code(node);
      case CMARK_NODE_THEMATIC_BREAK:
        return of_kind(Block::Kind::kRule);
      default:
        return type_of(node) == "table" ? table(node, depth) : paragraph(node, depth);
    }
  }

  static Block of_kind(Block::Kind kind) {
    Block block;
    block.kind = kind;
    return block;
  }

  Block paragraph(cmark_node* node, int depth) const {
    Block block;
    block.inlines = inlines(node, depth);
    if (block.inlines.size() == 1 && block.inlines.front().kind == Inline::Kind::kImage) {
      block.kind = Block::Kind::kImage;
    }
    return block;
  }

  Block heading(cmark_node* node, int depth) const {
    Block block = of_kind(Block::Kind::kHeading);
    block.level = cmark_node_get_heading_level(node);
    block.inlines = inlines(node, depth);
    return block;
  }

  Block quote(cmark_node* node, int depth) const {
    Block block = of_kind(Block::Kind::kQuote);
    block.blocks = blocks(node, depth + 1);
    return block;
  }

  Block list(cmark_node* node, int depth) const {
    const bool numbered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    Block block = of_kind(numbered ? Block::Kind::kNumberedList : Block::Kind::kBulletList);
    if (numbered) block.start = cmark_node_get_list_start(node);
    block.tight = cmark_node_get_list_tight(node) != 0;
    for_each_child(node, [&](cmark_node* item) { block.items.push_back(blocks(item, depth + 1)); });
    return block;
  }

  static Block code(cmark_node* node) {
    Block block = of_kind(Block::Kind::kCode);
    block.text = literal_text(cmark_node_get_literal(node));
    const std::string info = literal_text(cmark_node_get_fence_info(node));
    block.language = info.substr(0, info.find_first_of(" \t{"));
    return block;
  }

  Block table(cmark_node* node, int depth) const {
    Block block = of_kind(Block::Kind::kTable);
    const std::uint8_t* aligns = cmark_gfm_extensions_get_table_alignments(node);
    const std::size_t columns = cmark_gfm_extensions_get_table_columns(node);
    for (std::size_t i = 0; i < columns; ++i) {
      block.aligns.push_back(aligns[i] == 'r' ? Align::kRight : Align::kLeft);
    }
    for_each_child(node, [&](cmark_node* row) {
      std::vector<Inlines>& cells = block.rows.emplace_back();
      for_each_child(row, [&](cmark_node* cell) { cells.push_back(inlines(cell, depth)); });
      cells.resize(columns);
    });
    return block;
  }

  Inlines inlines(cmark_node* parent, int depth) const {
    Inlines found;
    for_each_child(parent, [&](cmark_node* node) { add_inline(found, node, depth); });
    return found;
  }

  void add_inline(Inlines& to, cmark_node* node, int depth) const {
    using Kind = Inline::Kind;
    if (depth >= kMaxNesting) return add_text(to, text_inside(node));
    const auto add_parent = [&](Kind kind) {
      to.push_back({kind, "", literal_text(cmark_node_get_url(node)), inlines(node, depth + 1)});
    };
    const auto add = [&](Kind kind, std::string text, std::string target) {
      to.push_back({kind, std::move(text), std::move(target), {}});
    };
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_TEXT:
        return add_text(to, literal_text(cmark_node_get_literal(node)));
      case CMARK_NODE_SOFTBREAK:
        return add_text(to, " ");
      case CMARK_NODE_LINEBREAK:
        return add(Kind::kBreak, "", "");
      case CMARK_NODE_CODE:
        return add(Kind::kCode, literal_text(cmark_node_get_literal(node)), "");
      case CMARK_NODE_EMPH:
        return add_parent(Kind::kEmph);
      case CMARK_NODE_STRONG:
        return add_parent(Kind::kStrong);
      case CMARK_NODE_LINK:
        return add_parent(Kind::kLink);
      case CMARK_NODE_IMAGE:
        add(Kind::kImage, text_inside(node), literal_text(cmark_node_get_url(node)));
        to.back().typst = share_of_line(literal_text(cmark_node_get_title(node)));
        return;
      default:
        return add_parent(type_of(node) == "strikethrough" ? Kind::kStrike : Kind::kEmph);
    }
  }

  Inline math(const MathSpan& span) const {
    using Kind = Inline::Kind;
    const Formula* formula = find_formula(span, formulas_);
    if (formula == nullptr || formula->typst.empty()) return {Kind::kCode, span.tex, "", {}};
    return {span.is_display ? Kind::kDisplay : Kind::kMath, span.tex, "", {}, formula->typst};
  }

  /// Appends a text with its formulas. Text after text extends the same inline.
  void add_text(Inlines& to, const std::string& text) const {
    using Kind = Inline::Kind;
    for (const CutPiece& piece : split_at_marks(text, spans_)) {
      if (piece.span != nullptr) {
        to.push_back(math(*piece.span));
      } else if (!to.empty() && to.back().kind == Kind::kText) {
        to.back().text += piece.text;
      } else {
        to.push_back({Kind::kText, piece.text, "", {}});
      }
    }
  }

  const std::vector<MathSpan>& spans_;
  const Formulas& formulas_;
};

}  // namespace

Blocks rich_text(std::string_view markdown, const Formulas& formulas) {
  const ParsedMarkdown parsed = parse_markdown(markdown);
  return TreeReader(parsed.spans, formulas).blocks(parsed.tree.get(), 0);
}

std::string plain_text(const Inlines& inlines) {
  std::string text;
  for (const Inline& piece : inlines) {
    text += piece.kind == Inline::Kind::kBreak ? " " : piece.text;
    text += plain_text(piece.children);
  }
  return text;
}

}  // namespace labreport
