#include <algorithm>

#include "base/text.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

// A longer address becomes no link; Typst refuses much longer ones.
constexpr std::size_t kLongestAddressBytes = 2000;

std::string typst_call(const std::string& function, const std::string& content) {
  return "#" + function + "[" + content + "]";
}

std::string math(const Inline& piece) {
  const bool is_display = piece.kind == Inline::Kind::kDisplay;
  const std::string content = is_display ? " " + piece.typst + " " : piece.typst;
  return "#math.equation(block: " + std::string(is_display ? "true" : "false") +
         ", alt: " + typst_string(piece.text) + ", $" + content + "$)";
}

class RichWriter {
 public:
  explicit RichWriter(const TypstSource& source) : source_(source) {}

  std::string blocks_markup(const Blocks& blocks) const {
    std::string text;
    for (const Block& block : blocks) text += block_markup(block) + "\n\n";
    return text;
  }

  std::string inlines_markup(const Inlines& inlines) const {
    std::string text;
    for (const Inline& piece : inlines) text += inline_markup(piece);
    return text;
  }

 private:
  using Kind = Block::Kind;

  std::string block_markup(const Block& block) const {
    switch (block.kind) {
      case Kind::kParagraph:
        return inlines_markup(block.inlines);
      case Kind::kHeading:
        return typst_call("block(sticky: true)",
                          typst_call("strong", inlines_markup(block.inlines)));
      case Kind::kBulletList:
        return list_markup("list(tight: " + typst_bool(block.tight), block.items);
      case Kind::kNumberedList:
        return list_markup(
            "enum(tight: " + typst_bool(block.tight) + ", start: " + std::to_string(block.start),
            block.items);
      case Kind::kQuote:
        return typst_call("quote(block: true)", "\n" + blocks_markup(block.blocks));
      case Kind::kCode:
        return code(block);
      case Kind::kTable:
        return table(block);
      case Kind::kImage:
        return typst_call("align(center)", picture(block.inlines.front(), "90%"));
      case Kind::kRule:
        return "#line(length: 100%, stroke: 0.4pt)";
    }
    return "";
  }

  static std::string typst_bool(bool value) { return value ? "true" : "false"; }

  std::string list_markup(const std::string& opening, const std::vector<Blocks>& items) const {
    std::string text = "#" + opening;
    for (const Blocks& item : items) {
      std::string content = blocks_markup(item);
      while (content.ends_with('\n')) content.pop_back();
      text += ",\n  [" + content + "]";
    }
    return text + ",\n)";
  }

  static std::string code(const Block& block) {
    std::string lines = block.text;
    if (lines.ends_with('\n')) lines.pop_back();
    const std::string language =
        block.language.empty() ? "" : ", lang: " + typst_string(slug(block.language));
    return "#raw(" + typst_lines(lines) + ", block: true" + language + ")";
  }

  std::string table(const Block& block) const {
    std::string aligns;
    for (const Align align : block.aligns) aligns += align == Align::kRight ? "right, " : "left, ";
    std::string text = "#table(\n  columns: " + std::to_string(block.aligns.size()) +
                       ",\n  align: (" + aligns + "),\n  stroke: none,\n";
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      std::string cells;
      for (const Inlines& cell : block.rows[r]) cells += "[" + inlines_markup(cell) + "], ";
      text += r == 0 ? "  table.hline(), table.header(" + cells + "), table.hline(stroke: 0.5pt),\n"
                     : "  " + cells + "\n";
    }
    return text + "  table.hline(),\n)";
  }

  std::string inline_markup(const Inline& piece) const {
    using Kind = Inline::Kind;
    switch (piece.kind) {
      case Kind::kText:
        return typst_text(piece.text);
      case Kind::kEmph:
        return typst_call("emph", inlines_markup(piece.children));
      case Kind::kStrong:
        return typst_call("strong", inlines_markup(piece.children));
      case Kind::kStrike:
        return typst_call("strike", inlines_markup(piece.children));
      case Kind::kCode:
        return typst_code(piece.text);
      case Kind::kLink:
        return typst_link(piece.target, inlines_markup(piece.children), source_);
      case Kind::kImage:
        return picture(piece, "auto");
      case Kind::kBreak:
        return "#linebreak()";
      case Kind::kMath:
      case Kind::kDisplay:
        return math(piece);
    }
    return "";
  }

  /// Shows the picture, or only its name if it is not among `TypstOptions::pictures`.
  std::string picture(const Inline& image, const std::string& width) const {
    if (!source_.options.pictures.contains(image.target)) {
      return typst_call("emph", "Picture\\: " + typst_text(image.text));
    }
    return "#box(image(" + typst_string(image.target) +
           ", width: " + (image.typst.empty() ? width : image.typst) +
           ", alt: " + typst_string(image.text) + "))";
  }

  const TypstSource& source_;
};

}  // namespace

std::string typst_blocks(std::string_view markdown, const TypstSource& source,
                         const Formulas& formulas) {
  return RichWriter(source).blocks_markup(rich_text(markdown, formulas));
}

std::string typst_line(std::string_view markdown, const TypstSource& source) {
  std::string line;
  for (const Block& block : rich_text(markdown)) {
    line += (line.empty() ? "" : " ") + RichWriter(source).inlines_markup(block.inlines);
  }
  return line;
}

std::string typst_link(const std::string& target, const std::string& markup,
                       const TypstSource& source) {
  if (target.starts_with('#')) {
    const std::string name = target.substr(1);
    if (!source.labels.contains(name)) return markup;
    return "#link(label(" + typst_string(name) + "))[" + markup + "]";
  }
  if (target.empty() || target.size() > kLongestAddressBytes) return markup;
  const std::string link = "#link(" + typst_string(target) + ")";
  const bool needs_note = target.find("//") != target.npos && typst_text(target) != markup;
  // A footnote prints the address, because a reader of paper cannot follow the link.
  const std::string note = needs_note ? "#footnote[" + link + "[" + typst_code(target) + "]]" : "";
  return link + "[" + markup + "]" + note;
}

std::string typst_label(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char letter) {
    return is_alnum(letter) || letter == '-' || letter == '_' || letter == '.';
  });
  return is_plain && !name.empty() ? " <" + name + ">" : "";
}

std::string typst_muted(const std::string& markup) {
  if (markup.empty()) return "";
  return "#block(sticky: true, spacing: 0.7em, text(size: 0.85em, fill: luma(90))[" + markup +
         "])\n\n";
}

}  // namespace labreport
