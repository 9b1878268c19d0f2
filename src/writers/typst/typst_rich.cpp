#include <algorithm>

#include "base/text.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

// Bytes of the longest address that becomes a link; Typst refuses much longer ones.
constexpr std::size_t kLongestAddress = 2000;

std::string typst_call(const std::string& function, const std::string& content) {
  return "#" + function + "[" + content + "]";
}

std::string math(const Inline& piece) {
  const bool display = piece.kind == Inline::Kind::kDisplay;
  const std::string inside = display ? " " + piece.typst + " " : piece.typst;
  return "#math.equation(block: " + std::string(display ? "true" : "false") +
         ", alt: " + typst_string(piece.text) + ", $" + inside + "$)";
}

class RichWriter {
 public:
  explicit RichWriter(const TypstSource& source) : source_(source) {}

  std::string blocks(const Blocks& all) const {
    std::string text;
    for (const Block& one : all) text += block(one) + "\n\n";
    return text;
  }

  std::string inlines(const Inlines& all) const {
    std::string text;
    for (const Inline& piece : all) text += piece_of(piece);
    return text;
  }

 private:
  using Kind = Block::Kind;

  std::string block(const Block& block) const {
    switch (block.kind) {
      case Kind::kParagraph:
        return inlines(block.inlines);
      case Kind::kHeading:
        return typst_call("block(sticky: true)", typst_call("strong", inlines(block.inlines)));
      case Kind::kBulletList:
        return items("list(tight: " + flag(block.tight), block.items);
      case Kind::kNumberedList:
        return items("enum(tight: " + flag(block.tight) + ", start: " + std::to_string(block.start),
                     block.items);
      case Kind::kQuote:
        return typst_call("quote(block: true)", "\n" + blocks(block.blocks));
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

  static std::string flag(bool value) { return value ? "true" : "false"; }

  std::string items(const std::string& function, const std::vector<Blocks>& items) const {
    std::string text = "#" + function;
    for (const Blocks& item : items) {
      std::string inside = blocks(item);
      while (inside.ends_with('\n')) inside.pop_back();
      text += ",\n  [" + inside + "]";
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
      for (const Inlines& cell : block.rows[r]) cells += "[" + inlines(cell) + "], ";
      text += r == 0 ? "  table.hline(), table.header(" + cells + "), table.hline(stroke: 0.5pt),\n"
                     : "  " + cells + "\n";
    }
    return text + "  table.hline(),\n)";
  }

  std::string piece_of(const Inline& piece) const {
    using Kind = Inline::Kind;
    switch (piece.kind) {
      case Kind::kText:
        return typst_text(piece.text);
      case Kind::kEmph:
        return typst_call("emph", inlines(piece.children));
      case Kind::kStrong:
        return typst_call("strong", inlines(piece.children));
      case Kind::kStrike:
        return typst_call("strike", inlines(piece.children));
      case Kind::kCode:
        return typst_code(piece.text);
      case Kind::kLink:
        return typst_link(piece.target, inlines(piece.children), source_);
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
    return "#box(image(" + typst_string(source_.options.run + image.target) + ", width: " + width +
           ", alt: " + typst_string(image.text) + "))";
  }

  const TypstSource& source_;
};

}  // namespace

std::string typst_blocks(std::string_view markdown, const TypstSource& source,
                         const Formulas& formulas) {
  return RichWriter(source).blocks(rich_text(markdown, formulas));
}

std::string typst_line(std::string_view markdown, const TypstSource& source) {
  std::string line;
  for (const Block& block : rich_text(markdown)) {
    line += (line.empty() ? "" : " ") + RichWriter(source).inlines(block.inlines);
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
  if (target.empty() || target.size() > kLongestAddress) return markup;
  const std::string link = "#link(" + typst_string(target) + ")";
  const bool elsewhere = target.find("//") != target.npos && typst_text(target) != markup;
  // A footnote prints the address, because a reader of paper cannot follow the link.
  const std::string note = elsewhere ? "#footnote[" + link + "[" + typst_code(target) + "]]" : "";
  return link + "[" + markup + "]" + note;
}

std::string typst_label(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char letter) {
    return is_alnum(letter) || letter == '-' || letter == '_' || letter == '.';
  });
  return plain && !name.empty() ? " <" + name + ">" : "";
}

std::string typst_muted(const std::string& markup) {
  if (markup.empty()) return "";
  return "#block(sticky: true, spacing: 0.7em, text(size: 0.85em, fill: luma(90))[" + markup +
         "])\n\n";
}

}  // namespace labreport
