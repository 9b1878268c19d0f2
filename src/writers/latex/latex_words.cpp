#include "writers/latex/latex_words.h"

#include <fmt/format.h>

#include <optional>

#include "writers/latex/latex_columns.h"
#include "writers/latex/latex_signs.h"
#include "writers/latex/latex_text.h"

namespace labreport {
namespace {

/// The formula as it was written; signs that are no ASCII by their commands. Nothing where LaTeX
/// has no such sign.
std::optional<std::string> latex_math(const std::string& tex) {
  std::string math;
  for (std::string_view rest = tex; !rest.empty();) {
    const char32_t sign = take_character(rest);
    const std::string known = sign < 0x80 ? "" : latex_sign(sign);
    if (sign >= 0x80 && known.empty()) return {};
    math += sign >= 0x80 ? known : std::string(1, sign < ' ' ? ' ' : static_cast<char>(sign));
  }
  return math;
}

/// Characters that an address may hold as they are; TeX reads the others as commands.
std::string latex_address(std::string_view address) {
  constexpr std::string_view kPlain = "-._:/?=+,;@!*()";
  std::string written;
  for (const char letter : address) {
    const bool alphanumeric = (letter >= '0' && letter <= '9') ||
                              (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (alphanumeric || kPlain.find(letter) != std::string_view::npos) {
      written += letter;
    } else if (letter == '#' || letter == '&' || letter == '%') {
      written += std::string("\\") + letter;
    } else {
      written += fmt::format("\\%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return written;
}

/// TeX takes a time that grows with the square of an address; no real one is that long.
constexpr std::size_t kLongestUrl = 2000;

std::string link(const Inline& piece) {
  std::string words = latex_inlines(piece.children);
  if (piece.target.size() > kLongestUrl) return words;
  return "\\href{" + latex_address(piece.target) + "}{" + words + "}";
}

/// A display ends the line where it stands; in a cell there is no room for one.
std::string formula(const Inline& piece) {
  const auto math = latex_math(piece.text);
  if (!math) return latex_code(piece.text);
  const bool display = piece.kind == Inline::Kind::kDisplay;
  return display ? "$\\displaystyle " + *math + "$" : "$" + *math + "$";
}

/// Names that pdflatex takes as they are, and kinds of pictures that it can place.
bool is_picture(std::string_view target) {
  const bool plain = target.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-._/") == std::string_view::npos;
  return plain && (target.ends_with(".png") || target.ends_with(".jpg") ||
                   target.ends_with(".jpeg") || target.ends_with(".pdf"));
}

/// Found by \graphicspath where a document of one's own takes the part in.
std::string image(const Inline& piece) {
  if (is_picture(piece.target)) {
    return "\\includegraphics[width=0.8\\linewidth,height=0.4\\textheight,keepaspectratio]{" +
           piece.target + "}";
  }
  return "{[}Picture: " + latex_text(piece.text) + " (" + latex_code(piece.target) +
         ", a kind that LaTeX cannot place: save it as PNG or JPEG){]}";
}

std::string latex_inline(const Inline& piece) {
  switch (piece.kind) {
    case Inline::Kind::kText:
      return latex_text(piece.text);
    case Inline::Kind::kEmph:
      return "\\emph{" + latex_inlines(piece.children) + "}";
    case Inline::Kind::kStrong:
      return "\\textbf{" + latex_inlines(piece.children) + "}";
    case Inline::Kind::kStrike:
      return "{[}" + latex_inlines(piece.children) + " (struck out){]}";
    case Inline::Kind::kCode:
      return latex_code(piece.text);
    case Inline::Kind::kLink:
      return link(piece);
    case Inline::Kind::kImage:
      return image(piece);
    case Inline::Kind::kBreak:
      return "\\newline{}";
    case Inline::Kind::kMath:
    case Inline::Kind::kDisplay:
      return formula(piece);
  }
  return "";
}

/// A paragraph; its displays stand on lines of their own.
std::string paragraph(const Inlines& inlines) {
  std::string text;
  for (const Inline& piece : inlines) {
    const auto math = piece.kind == Inline::Kind::kDisplay ? latex_math(piece.text) : std::nullopt;
    text += math ? "\n\\[" + *math + "\\]\n" : latex_inline(piece);
  }
  return text + "\n\n";
}

/// LaTeX nests four lists of a kind and six in all; deeper ones go on in the last.
constexpr int kDeepestLatexList = 3;

class BlockWriter {
 public:
  std::string write(const Blocks& blocks) {
    std::string text;
    for (const Block& block : blocks) text += write(block);
    return text;
  }

 private:
  std::string write(const Block& block) {
    switch (block.kind) {
      case Block::Kind::kParagraph:
        return paragraph(block.inlines);
      case Block::Kind::kHeading:
        return "\\paragraph*{" + latex_inlines(block.inlines) + "}\\mbox{}\\\\\n";
      case Block::Kind::kBullets:
      case Block::Kind::kNumbers:
        return list(block);
      case Block::Kind::kQuote:
        return nested("quote", write_deeper(block.blocks));
      case Block::Kind::kCode:
        return latex_listing(block.text) + "\n";
      case Block::Kind::kTable:
        return "\\begin{center}\n" + rich_table(block) + "\\end{center}\n\n";
      case Block::Kind::kImage:
        return "\\begin{center}\n" + image(block.inlines.front()) + "\n\\end{center}\n\n";
      case Block::Kind::kRule:
        return "\\begin{center}\\rule{0.4\\linewidth}{0.4pt}\\end{center}\n\n";
    }
    return "";
  }

  /// An environment, as long as LaTeX bears one more.
  std::string nested(const std::string& name, const std::string& inside,
                     const std::string& options = "") const {
    if (depth_ >= kDeepestLatexList || inside.empty()) return inside;
    return "\\begin{" + name + "}" + options + "\n" + inside + "\\end{" + name + "}\n\n";
  }

  std::string write_deeper(const Blocks& blocks) {
    ++depth_;
    std::string text = write(blocks);
    --depth_;
    return text;
  }

  std::string list(const Block& block) {
    const bool numbers = block.kind == Block::Kind::kNumbers;
    std::string items;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
      const std::string number = std::to_string(block.start + static_cast<int>(i)) + ".";
      const std::string mark = depth_ >= kDeepestLatexList ? (numbers ? number : "--") + " "
                               : numbers                   ? "\\item[" + number + "] "
                                                           : "\\item ";
      const std::string words = write_deeper(block.items[i]);
      items += mark + (words.empty() ? "\\mbox{}\n" : words);
    }
    return nested("itemize", items);
  }

  int depth_ = 0;
};

}  // namespace

std::string latex_inlines(const Inlines& inlines) {
  std::string text;
  for (const Inline& piece : inlines) text += latex_inline(piece);
  return text;
}

std::string latex_blocks(const Blocks& blocks) { return BlockWriter().write(blocks); }

std::string latex_markdown(std::string_view markdown, const Formulas& formulas) {
  return latex_blocks(rich_text(markdown, formulas));
}

std::string latex_line(std::string_view markdown) {
  std::string line;
  for (const Block& block : rich_text(markdown)) {
    line += (line.empty() ? "" : " ") + latex_inlines(block.inlines);
  }
  return line;
}

}  // namespace labreport
