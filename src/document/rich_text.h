// Parses Markdown into a neutral tree for writers other than HTML.
//
// The rules of parse_markdown() hold, and content below 24 levels of nesting becomes plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A piece of a line. The comment of a member names the kinds that use it.
struct Inline {
  enum class Kind {
    kText,
    kEmph,
    kStrong,
    kStrike,
    kCode,
    kLink,
    kImage,
    kBreak,    ///< A line break.
    kMath,     ///< $…$; kCode if `find_formula` finds none.
    kDisplay,  ///< $$…$$ on a line of its own; kCode if `find_formula` finds none.
  };
  Kind kind = Kind::kText;
  std::string text;              ///< kText, kCode; kMath, kDisplay: TeX; kImage: alternative text
  std::string target;            ///< kLink, kImage: the address, unescaped
  std::vector<Inline> children;  ///< kEmph, kStrong, kStrike, kLink
  std::string typst = {};        ///< kMath, kDisplay: the formula; kImage: its width, or empty

  bool operator==(const Inline&) const = default;
};
using Inlines = std::vector<Inline>;

struct Block;
using Blocks = std::vector<Block>;

/// A block of a text. The comment of a member names the kinds that use it.
struct Block {
  enum class Kind {
    kParagraph,
    kHeading,
    kBulletList,
    kNumberedList,
    kQuote,
    kCode,
    kTable,
    kImage,  ///< A paragraph that is one picture.
    kRule,   ///< A thematic break.
  };
  Kind kind = Kind::kParagraph;
  Inlines inlines;                         ///< kParagraph, kHeading; kImage: the picture alone
  int level = 0;                           ///< kHeading: 1 to 6
  int start = 1;                           ///< kNumberedList: the first item's number
  bool tight = false;                      ///< kBulletList, kNumberedList: no space between items
  std::vector<Blocks> items;               ///< kBulletList, kNumberedList
  Blocks blocks;                           ///< kQuote
  std::string text;                        ///< kCode: whole lines
  std::string language;                    ///< kCode: may be empty
  std::vector<Align> aligns;               ///< kTable: one for each column
  std::vector<std::vector<Inlines>> rows;  ///< kTable: the header first; all are equally long
};

/// Parses any text, because every text is Markdown. `formulas` are used besides those of the
/// sections.
Blocks rich_text(std::string_view markdown, const Formulas& formulas = {});

/// Returns the text without markup, for outlines, alternative texts and comparisons.
std::string plain_text(const Inlines& inlines);

}  // namespace labreport
