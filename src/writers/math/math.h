// A subset of TeX's math, read into a tree and written for pages (MathML) and for Typst.
//
// Letters, numbers, operators, groups, scripts and primes, \frac, \sqrt, \left … \right, accents,
// \text, \mathrm, \mathbf, \mathcal, \mathbb, \operatorname, named functions, spaces and the
// symbols of math_symbols.cpp. What parses is also safe to hand to LaTeX with amsmath as it was
// written: it holds listed commands alone, its groups are balanced, no script is doubled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

struct MathNode {
  enum class Kind {
    kRow,
    kLetter,   ///< A variable, slanted; styled letters as their own characters: 𝐱, 𝒪, ℝ.
    kUpright,  ///< \mathrm, signs that are no operators
    kNumber,
    kOperator,  ///< + = ( ≤ …
    kLarge,     ///< ∑ ∏ ∫: `limits` when its scripts stand above and below in a display
    kFunction,  ///< log, max: upright, with room around it; `limits` as above
    kText,      ///< \text
    kSpace,     ///< `text` is its width in em.
    kFraction,  ///< numerator, denominator
    kRoot,      ///< radicand, and the degree where there is one
    kScripts,   ///< base, subscript, superscript: an absent script is an empty row
    kFenced,    ///< the body; `text` opens, `close` closes, either may be empty
    kAccent,    ///< the body; `text` is the accent's command: hat, bar, …
  };
  Kind kind = Kind::kRow;
  std::string text;
  std::vector<MathNode> children;
  std::string close;
  bool limits = false;
};

/// Nothing for what is outside of the subset: show the source as code then.
std::optional<MathNode> parse_math(std::string_view tex);

/// A <math> element that needs no style or script; `tex` is what it says to who cannot see it.
std::string to_mathml(const MathNode& math, std::string_view tex, bool display);

/// Between dollars, ready for Typst's markup.
std::string to_typst(const MathNode& math, bool display);

}  // namespace labreport
