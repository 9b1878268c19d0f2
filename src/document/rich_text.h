// Parses Markdown into a neutral tree for writers other than HTML.
//
// Raw HTML in the Markdown is text (nothing an author wrote is lost, none of it is markup), its
// comments are left out. Links lead to http, https or relative addresses, pictures to relative
// ones; other links are their text alone. What nests too deeply becomes plain text.
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
    kMath,     ///< $…$; kCode if it has no forms.
    kDisplay,  ///< $$…$$ on a line of its own; kCode if it has no forms.
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
  std::vector<std::vector<Inlines>> rows;  ///< kTable: the head first; every row as long as it
};

/// Never fails: all text is some Markdown. `formulas` adds those that no section has.
Blocks rich_text(std::string_view markdown, const Formulas& formulas = {});

/// The text without marks, for outlines, alternative texts and comparisons.
std::string plain_text(const Inlines& inlines);

}  // namespace labreport
