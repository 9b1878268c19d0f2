// Parses Markdown into a neutral tree for writers other than HTML.
//
// Raw HTML becomes text without its comments, so that none of it is markup. Links lead to http,
// https or relative addresses, pictures to relative ones; other links become their text. Content
// below 24 levels of nesting becomes plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace labreport {

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
  std::string text;              ///< kText, kCode; kMath, kDisplay: TeX; kImage: alternative text.
  std::string target;            ///< kLink, kImage: unescaped.
  std::vector<Inline> children;  ///< kEmph, kStrong, kStrike, kLink
  std::string typst = {};        ///< kMath, kDisplay: the formula in Typst

  bool operator==(const Inline&) const = default;
};
using Inlines = std::vector<Inline>;

struct Block;
using Blocks = std::vector<Block>;

struct Block {
  enum class Kind {
    kParagraph,
    kHeading,
    kBullets,
    kNumbers,
    kQuote,
    kCode,
    kTable,
    kImage,  ///< A paragraph that is one picture.
    kRule,   ///< A thematic break.
  };
  Kind kind = Kind::kParagraph;
  Inlines inlines;                         ///< kParagraph, kHeading; kImage: the picture alone
  int level = 0;                           ///< kHeading: 1 to 6
  int start = 1;                           ///< kNumbers: the first item's number
  bool tight = false;                      ///< kBullets, kNumbers: no space between items
  std::vector<Blocks> items;               ///< kBullets, kNumbers
  Blocks blocks;                           ///< kQuote
  std::string text;                        ///< kCode: whole lines
  std::string language;                    ///< kCode: may be empty
  std::vector<Align> aligns;               ///< kTable: one a column
  std::vector<std::vector<Inlines>> rows;  ///< kTable: the head is first; all rows are equally long
};

/// Never fails, because any text is Markdown. `formulas` are used besides those of the sections.
Blocks rich_text(std::string_view markdown, const Formulas& formulas = {});

/// The text without markup, for outlines, alternative texts and comparisons.
std::string plain_text(const Inlines& inlines);

}  // namespace labreport
