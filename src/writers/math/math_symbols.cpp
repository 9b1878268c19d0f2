#include "writers/math/math_symbols.h"

#include <algorithm>
#include <array>

#include "base/table.h"

namespace labreport {
namespace {

using Kind = MathNode::Kind;

using Named = std::pair<std::string_view, std::string_view>;

constexpr auto kLetters = std::to_array<Named>(
    {{"alpha", "α"},    {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},      {"epsilon", "ϵ"},
     {"zeta", "ζ"},     {"eta", "η"},   {"theta", "θ"}, {"iota", "ι"},       {"kappa", "κ"},
     {"lambda", "λ"},   {"mu", "μ"},    {"nu", "ν"},    {"xi", "ξ"},         {"pi", "π"},
     {"rho", "ρ"},      {"sigma", "σ"}, {"tau", "τ"},   {"upsilon", "υ"},    {"phi", "ϕ"},
     {"chi", "χ"},      {"psi", "ψ"},   {"omega", "ω"}, {"varepsilon", "ε"}, {"varphi", "φ"},
     {"vartheta", "ϑ"}, {"ell", "ℓ"}});

constexpr auto kUprights = std::to_array<Named>(
    {{"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},
     {"Pi", "Π"},    {"Sigma", "Σ"}, {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},
     {"Omega", "Ω"}, {"infty", "∞"}, {"partial", "∂"}, {"nabla", "∇"},  {"emptyset", "∅"},
     {"hbar", "ℏ"},  {"%", "%"},     {"#", "#"},       {"&", "&"},      {"$", "$"},
     {"_", "_"}});

constexpr auto kOperators = std::to_array<Named>(
    {{"cdot", "⋅"},       {"times", "×"},     {"div", "÷"},        {"pm", "±"},
     {"mp", "∓"},         {"ast", "∗"},       {"circ", "∘"},       {"odot", "⊙"},
     {"oplus", "⊕"},      {"otimes", "⊗"},    {"le", "≤"},         {"leq", "≤"},
     {"ge", "≥"},         {"geq", "≥"},       {"lt", "<"},         {"gt", ">"},
     {"ne", "≠"},         {"neq", "≠"},       {"ll", "≪"},         {"gg", "≫"},
     {"approx", "≈"},     {"sim", "∼"},       {"simeq", "≃"},      {"equiv", "≡"},
     {"propto", "∝"},     {"in", "∈"},        {"notin", "∉"},      {"subset", "⊂"},
     {"subseteq", "⊆"},   {"cup", "∪"},       {"cap", "∩"},        {"to", "→"},
     {"rightarrow", "→"}, {"leftarrow", "←"}, {"Rightarrow", "⇒"}, {"Leftrightarrow", "⇔"},
     {"mapsto", "↦"},     {"forall", "∀"},    {"exists", "∃"},     {"mid", "∣"},
     {"ldots", "…"},      {"dots", "…"},      {"cdots", "⋯"},      {"prime", "′"},
     {"colon", ":"},      {"{", "{"},         {"}", "}"},          {"|", "‖"},
     {"lfloor", "⌊"},     {"rfloor", "⌋"},    {"lceil", "⌈"},      {"rceil", "⌉"},
     {"langle", "⟨"},     {"rangle", "⟩"},    {"lvert", "|"},      {"rvert", "|"},
     {"lVert", "‖"},      {"rVert", "‖"}});

constexpr auto kLarge = std::to_array<Named>({{"sum", "∑"}, {"prod", "∏"}, {"int", "∫"}});

constexpr auto kSpaces = std::to_array<Named>({{",", "0.1667"},
                                               {":", "0.2222"},
                                               {";", "0.2778"},
                                               {"!", "-0.1667"},
                                               {" ", "0.25"},
                                               {"quad", "1"},
                                               {"qquad", "2"}});

/// Whether scripts stand above and below in a display.
constexpr auto kFunctions = std::to_array<std::pair<std::string_view, bool>>({{"log", false},
                                                                              {"ln", false},
                                                                              {"exp", false},
                                                                              {"sin", false},
                                                                              {"cos", false},
                                                                              {"tan", false},
                                                                              {"tanh", false},
                                                                              {"arg", false},
                                                                              {"dim", false},
                                                                              {"deg", false},
                                                                              {"max", true},
                                                                              {"min", true},
                                                                              {"sup", true},
                                                                              {"inf", true},
                                                                              {"lim", true},
                                                                              {"det", true},
                                                                              {"gcd", true},
                                                                              {"Pr", true}});

constexpr std::string_view kFences = "()[]|/";

MathNode leaf(Kind kind, std::string_view text) { return {kind, std::string(text), {}, "", false}; }

/// A code point as UTF-8; all alphabets lie above the basic plane.
std::string utf8(char32_t point) {
  return {static_cast<char>(0xF0 | (point >> 18)), static_cast<char>(0x80 | ((point >> 12) & 0x3F)),
          static_cast<char>(0x80 | ((point >> 6) & 0x3F)),
          static_cast<char>(0x80 | (point & 0x3F))};
}

/// Where Unicode had a letter before it had the alphabet.
constexpr auto kEarlierScript = std::to_array<std::pair<char, std::string_view>>({{'B', "ℬ"},
                                                                                  {'E', "ℰ"},
                                                                                  {'F', "ℱ"},
                                                                                  {'H', "ℋ"},
                                                                                  {'I', "ℐ"},
                                                                                  {'L', "ℒ"},
                                                                                  {'M', "ℳ"},
                                                                                  {'R', "ℛ"}});
constexpr auto kEarlierDouble = std::to_array<std::pair<char, std::string_view>>(
    {{'C', "ℂ"}, {'H', "ℍ"}, {'N', "ℕ"}, {'P', "ℙ"}, {'Q', "ℚ"}, {'R', "ℝ"}, {'Z', "ℤ"}});

struct Alphabet {
  char32_t capitals = 0;
  char32_t smalls = 0;  ///< 0: none
  char32_t digits = 0;
};

constexpr auto kAlphabets =
    std::to_array<std::pair<std::string_view, Alphabet>>({{"mathbf", {0x1D400, 0x1D41A, 0x1D7CE}},
                                                          {"mathcal", {0x1D49C, 0, 0}},
                                                          {"mathbb", {0x1D538, 0, 0}}});

const std::string_view* earlier_letter(std::string_view command, char letter) {
  if (command == "mathcal") return look_up(kEarlierScript, letter);
  if (command == "mathbb") return look_up(kEarlierDouble, letter);
  return nullptr;
}

template <std::size_t N>
bool is_one_of_values(const std::array<Named, N>& names, std::string_view character) {
  return std::ranges::any_of(names, [&](const auto& entry) { return entry.second == character; });
}

struct Found {
  Kind kind;
  const std::string_view* text;
};

}  // namespace

std::optional<MathNode> math_symbol(std::string_view command) {
  for (const auto& [kind, text] : {Found{Kind::kLetter, look_up(kLetters, command)},
                                   Found{Kind::kUpright, look_up(kUprights, command)},
                                   Found{Kind::kOperator, look_up(kOperators, command)},
                                   Found{Kind::kLarge, look_up(kLarge, command)},
                                   Found{Kind::kSpace, look_up(kSpaces, command)}}) {
    if (text == nullptr) continue;
    MathNode node = leaf(kind, *text);
    node.limits = kind == Kind::kLarge && command != "int";
    return node;
  }
  const bool* limits = look_up(kFunctions, command);
  if (limits == nullptr) return {};
  MathNode node = leaf(Kind::kFunction, command);
  node.limits = *limits;
  return node;
}

std::optional<MathNode> math_character(std::string_view character) {
  constexpr std::string_view kPlain = "+=<>()[]|,;:!/.";
  if (character.size() > 1) {
    if (is_one_of_values(kOperators, character)) return leaf(Kind::kOperator, character);
    if (is_one_of_values(kLetters, character)) return leaf(Kind::kLetter, character);
    if (is_one_of_values(kUprights, character)) return leaf(Kind::kUpright, character);
    return {};
  }
  const char letter = character.front();
  if (letter >= '0' && letter <= '9') return leaf(Kind::kNumber, character);
  if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
    return leaf(Kind::kLetter, character);
  }
  if (letter == '-') return leaf(Kind::kOperator, "−");
  if (letter == '*') return leaf(Kind::kOperator, "∗");
  if (kPlain.find(letter) == kPlain.npos) return {};
  return leaf(Kind::kOperator, character);
}

std::optional<std::string> math_fence(std::string_view delimiter) {
  if (delimiter == ".") return "";
  if (delimiter.size() == 1 && kFences.find(delimiter) != kFences.npos)
    return std::string(delimiter);
  for (const std::string_view name : {"{", "}", "|", "lfloor", "rfloor", "lceil", "rceil", "langle",
                                      "rangle", "lvert", "rvert", "lVert", "rVert"}) {
    if (delimiter.starts_with('\\') && delimiter.substr(1) == name) {
      return std::string(*look_up(kOperators, name));
    }
  }
  return {};
}

std::optional<std::string> styled_letter(std::string_view command, char letter) {
  const Alphabet* alphabet = look_up(kAlphabets, command);
  if (alphabet == nullptr) return {};
  if (const std::string_view* earlier = earlier_letter(command, letter)) {
    return std::string(*earlier);
  }
  const auto [capitals, smalls, digits] = *alphabet;
  if (letter >= 'A' && letter <= 'Z') return utf8(capitals + letter - 'A');
  if (letter >= 'a' && letter <= 'z' && smalls != 0) return utf8(smalls + letter - 'a');
  if (letter >= '0' && letter <= '9' && digits != 0) return utf8(digits + letter - '0');
  return {};
}

bool is_math_accent(std::string_view command) {
  return command == "hat" || command == "bar" || command == "tilde" || command == "vec" ||
         command == "overline";
}

}  // namespace labreport
