#include "writers/latex/latex_signs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace labreport {
namespace {

using Signs = std::map<char32_t, std::string>;

const Signs& punctuation() {
  static const Signs signs = {
      {U'\u00a0', "~"},
      {U'\u00ad', "\\-"},
      {U'\u2009', "\\,"},
      {U'\u202f', "\\,"},
      {U'\u200b', "\\allowbreak{}"},
      {U'–', "--"},
      {U'—', "---"},
      {U'‐', "-"},
      {U'‑', "\\mbox{-}"},
      {U'‘', "\\textquoteleft{}"},
      {U'’', "\\textquoteright{}"},
      {U'“', "\\textquotedblleft{}"},
      {U'”', "\\textquotedblright{}"},
      {U'„', "\\quotedblbase{}"},
      {U'…', "\\textellipsis{}"},
      {U'•', "\\textbullet{}"},
      {U'†', "\\textdagger{}"},
      {U'‰', "\\textperthousand{}"},
      {U'€', "\\texteuro{}"},
      {U'™', "\\texttrademark{}"},
      {U'§', "\\S{}"},
      {U'©', "\\textcopyright{}"},
      {U'®', "\\textregistered{}"},
      {U'°', "\\textdegree{}"},
      {U'Å', "\\AA{}"},
  };
  return signs;
}

/// What stands in math mode.
const Signs& math() {
  static const Signs signs = {
      {U'×', "\\times"},
      {U'·', "\\cdot"},
      {U'÷', "\\div"},
      {U'±', "\\pm"},
      {U'∓', "\\mp"},
      {U'−', "-"},
      {U'¬', "\\neg"},
      {U'≈', "\\approx"},
      {U'≠', "\\neq"},
      {U'≤', "\\leq"},
      {U'≥', "\\geq"},
      {U'≪', "\\ll"},
      {U'≫', "\\gg"},
      {U'∝', "\\propto"},
      {U'≡', "\\equiv"},
      {U'∼', "\\sim"},
      {U'√', "\\surd"},
      {U'∞', "\\infty"},
      {U'∑', "\\sum"},
      {U'∏', "\\prod"},
      {U'∫', "\\int"},
      {U'∂', "\\partial"},
      {U'∇', "\\nabla"},
      {U'∈', "\\in"},
      {U'∉', "\\notin"},
      {U'∀', "\\forall"},
      {U'∃', "\\exists"},
      {U'∩', "\\cap"},
      {U'∪', "\\cup"},
      {U'⊂', "\\subset"},
      {U'⊆', "\\subseteq"},
      {U'∅', "\\emptyset"},
      {U'∧', "\\wedge"},
      {U'∨', "\\vee"},
      {U'⊕', "\\oplus"},
      {U'⊗', "\\otimes"},
      {U'⊙', "\\odot"},
      {U'⊤', "\\top"},
      {U'⊥', "\\bot"},
      {U'∘', "\\circ"},
      {U'⋅', "\\cdot"},
      {U'∗', "\\ast"},
      {U'‖', "\\Vert"},
      {U'′', "\\prime"},
      {U'←', "\\leftarrow"},
      {U'→', "\\rightarrow"},
      {U'↑', "\\uparrow"},
      {U'↓', "\\downarrow"},
      {U'↔', "\\leftrightarrow"},
      {U'⇐', "\\Leftarrow"},
      {U'⇒', "\\Rightarrow"},
      {U'⇔', "\\Leftrightarrow"},
      {U'↦', "\\mapsto"},
      {U'⌈', "\\lceil"},
      {U'⌉', "\\rceil"},
      {U'⌊', "\\lfloor"},
      {U'⌋', "\\rfloor"},
      {U'⟨', "\\langle"},
      {U'⟩', "\\rangle"},
      {U'ℓ', "\\ell"},
      {U'ℝ', "\\mathbf{R}"},
      {U'½', "\\frac{1}{2}"},
      {U'¼', "\\frac{1}{4}"},
      {U'¾', "\\frac{3}{4}"},
      {U'✓', "\\surd"},
      {U'■', "\\bullet"},
      {U'●', "\\bullet"},
      {U'…', "\\ldots"},
  };
  return signs;
}

/// α … ω, U+03B1 … U+03C9, and Α … Ω; capitals that look Latin are Latin letters in TeX.
std::string greek(char32_t sign) {
  constexpr std::array kSmall{"\\alpha",   "\\beta",   "\\gamma",    "\\delta", "\\varepsilon",
                              "\\zeta",    "\\eta",    "\\theta",    "\\iota",  "\\kappa",
                              "\\lambda",  "\\mu",     "\\nu",       "\\xi",    "o",
                              "\\pi",      "\\rho",    "\\varsigma", "\\sigma", "\\tau",
                              "\\upsilon", "\\varphi", "\\chi",      "\\psi",   "\\omega"};
  constexpr std::array kCapital{
      "A",       "B",        "\\Gamma",   "\\Delta", "E",    "Z",     "H",      "\\Theta", "I",
      "K",       "\\Lambda", "M",         "N",       "\\Xi", "O",     "\\Pi",   "P",       "",
      "\\Sigma", "T",        "\\Upsilon", "\\Phi",   "X",    "\\Psi", "\\Omega"};
  if (sign == U'\u00b5') return "\\mu";
  if (sign == U'ϵ') return "\\epsilon";
  if (sign >= U'α' && sign <= U'ω') return kSmall[sign - U'α'];
  if (sign >= U'Α' && sign <= U'Ω') return kCapital[sign - U'Α'];
  return "";
}

std::string raised_or_lowered(char32_t sign) {
  constexpr std::u32string_view kRaised = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ";
  constexpr std::string_view kRaisedAscii = "0123456789+-=()niT";
  constexpr std::u32string_view kLowered = U"₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎";
  constexpr std::string_view kLoweredAscii = "0123456789+-=()";
  if (const auto at = kRaised.find(sign); at != std::u32string_view::npos) {
    return std::string("^{") + kRaisedAscii[at] + "}";
  }
  if (const auto at = kLowered.find(sign); at != std::u32string_view::npos) {
    return std::string("_{") + kLoweredAscii[at] + "}";
  }
  return "";
}

/// Letters that LaTeX reads as they are and that its fonts' T1 encoding has.
bool is_letter_of_t1(char32_t sign) {
  constexpr std::array<std::pair<char32_t, char32_t>, 17> kRanges{{{0xa1, 0xa1},
                                                                   {0xa3, 0xa3},
                                                                   {0xab, 0xab},
                                                                   {0xbb, 0xbb},
                                                                   {0xbf, 0xd6},
                                                                   {0xd8, 0xf6},
                                                                   {0xf8, 0xff},
                                                                   {0x102, 0x107},
                                                                   {0x10c, 0x111},
                                                                   {0x118, 0x11b},
                                                                   {0x139, 0x13a},
                                                                   {0x141, 0x144},
                                                                   {0x147, 0x148},
                                                                   {0x150, 0x155},
                                                                   {0x158, 0x15b},
                                                                   {0x160, 0x165},
                                                                   {0x16e, 0x171}}};
  return (sign >= 0x178 && sign <= 0x17e) ||
         std::ranges::any_of(kRanges, [sign](const auto& range) {
           return sign >= range.first && sign <= range.second;
         });
}

std::string encoded(char32_t sign) {
  // All of T1's letters lie below U+0800: two bytes.
  return {static_cast<char>(0xc0 | (sign >> 6)), static_cast<char>(0x80 | (sign & 0x3f))};
}

}  // namespace

std::string latex_sign(char32_t sign) {
  if (const auto found = punctuation().find(sign); found != punctuation().end()) {
    return found->second;
  }
  if (const auto found = math().find(sign); found != math().end()) {
    return "\\ensuremath{" + found->second + "}";
  }
  for (const std::string& command : {greek(sign), raised_or_lowered(sign)}) {
    if (!command.empty()) return "\\ensuremath{" + command + "}";
  }
  return is_letter_of_t1(sign) ? encoded(sign) : "";
}

}  // namespace labreport
