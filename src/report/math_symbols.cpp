#include "report/math_symbols.h"

#include <array>
#include <map>

namespace labreport {
namespace {

using Kind = MathNode::Kind;
using Named = std::map<std::string_view, std::string_view>;

const Named kLetters = {{"alpha", "α"},   {"beta", "β"},     {"gamma", "γ"},   {"delta", "δ"},
                        {"epsilon", "ϵ"}, {"zeta", "ζ"},     {"eta", "η"},     {"theta", "θ"},
                        {"iota", "ι"},    {"kappa", "κ"},    {"lambda", "λ"},  {"mu", "μ"},
                        {"nu", "ν"},      {"xi", "ξ"},       {"pi", "π"},      {"rho", "ρ"},
                        {"sigma", "σ"},   {"tau", "τ"},      {"upsilon", "υ"}, {"phi", "ϕ"},
                        {"chi", "χ"},     {"psi", "ψ"},      {"omega", "ω"},   {"varepsilon", "ε"},
                        {"varphi", "φ"},  {"vartheta", "ϑ"}, {"ell", "ℓ"}};

const Named kUprights = {{"Gamma", "Γ"},   {"Delta", "Δ"}, {"Theta", "Θ"},    {"Lambda", "Λ"},
                         {"Xi", "Ξ"},      {"Pi", "Π"},    {"Sigma", "Σ"},    {"Upsilon", "Υ"},
                         {"Phi", "Φ"},     {"Psi", "Ψ"},   {"Omega", "Ω"},    {"infty", "∞"},
                         {"partial", "∂"}, {"nabla", "∇"}, {"emptyset", "∅"}, {"hbar", "ℏ"},
                         {"%", "%"},       {"#", "#"},     {"&", "&"},        {"$", "$"},
                         {"_", "_"}};

const Named kOperators = {
    {"cdot", "⋅"},       {"times", "×"},     {"div", "÷"},        {"pm", "±"},
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
    {"lVert", "‖"},      {"rVert", "‖"}};

const Named kLarge = {{"sum", "∑"}, {"prod", "∏"}, {"int", "∫"}};

const Named kSpaces = {{",", "0.1667"}, {":", "0.2222"}, {";", "0.2778"}, {"!", "-0.1667"},
                       {" ", "0.25"},   {"quad", "1"},   {"qquad", "2"}};

/// Whether scripts stand above and below in a display.
const std::map<std::string_view, bool> kFunctions = {
    {"log", false},  {"ln", false},  {"exp", false}, {"sin", false}, {"cos", false}, {"tan", false},
    {"tanh", false}, {"arg", false}, {"dim", false}, {"deg", false}, {"max", true},  {"min", true},
    {"sup", true},   {"inf", true},  {"lim", true},  {"det", true},  {"gcd", true},  {"Pr", true}};

constexpr std::string_view kFences = "()[]|/";

MathNode leaf(Kind kind, std::string_view text) { return {kind, std::string(text), {}, "", false}; }

/// A code point as UTF-8; all alphabets lie above the basic plane.
std::string utf8(char32_t point) {
  return {static_cast<char>(0xF0 | (point >> 18)), static_cast<char>(0x80 | ((point >> 12) & 0x3F)),
          static_cast<char>(0x80 | ((point >> 6) & 0x3F)),
          static_cast<char>(0x80 | (point & 0x3F))};
}

/// Where Unicode had a letter before it had the alphabet.
const std::map<std::string_view, std::map<char, std::string_view>> kEarlier = {
    {"mathcal",
     {{'B', "ℬ"},
      {'E', "ℰ"},
      {'F', "ℱ"},
      {'H', "ℋ"},
      {'I', "ℐ"},
      {'L', "ℒ"},
      {'M', "ℳ"},
      {'R', "ℛ"}}},
    {"mathbb",
     {{'C', "ℂ"}, {'H', "ℍ"}, {'N', "ℕ"}, {'P', "ℙ"}, {'Q', "ℚ"}, {'R', "ℝ"}, {'Z', "ℤ"}}},
    {"mathbf", {}}};

struct Alphabet {
  char32_t capitals = 0;
  char32_t smalls = 0;  ///< 0: none
  char32_t digits = 0;
};

const std::map<std::string_view, Alphabet> kAlphabets = {{"mathbf", {0x1D400, 0x1D41A, 0x1D7CE}},
                                                         {"mathcal", {0x1D49C, 0, 0}},
                                                         {"mathbb", {0x1D538, 0, 0}}};

bool is_one_of_values(const Named& names, std::string_view character) {
  for (const auto& [name, value] : names) {
    if (value == character) return true;
  }
  return false;
}

}  // namespace

std::optional<MathNode> math_symbol(std::string_view command) {
  const std::array<std::pair<Kind, const Named*>, 5> tables = {{{Kind::kLetter, &kLetters},
                                                                {Kind::kUpright, &kUprights},
                                                                {Kind::kOperator, &kOperators},
                                                                {Kind::kLarge, &kLarge},
                                                                {Kind::kSpace, &kSpaces}}};
  for (const auto& [kind, table] : tables) {
    const auto found = table->find(command);
    if (found == table->end()) continue;
    MathNode node = leaf(kind, found->second);
    node.limits = kind == Kind::kLarge && command != "int";
    return node;
  }
  const auto function = kFunctions.find(command);
  if (function == kFunctions.end()) return {};
  MathNode node = leaf(Kind::kFunction, function->first);
  node.limits = function->second;
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
      return std::string(kOperators.at(name));
    }
  }
  return {};
}

std::optional<std::string> styled_letter(std::string_view command, char letter) {
  const auto alphabet = kAlphabets.find(command);
  if (alphabet == kAlphabets.end()) return {};
  const auto& earlier = kEarlier.at(command);
  if (const auto found = earlier.find(letter); found != earlier.end()) {
    return std::string(found->second);
  }
  const auto [capitals, smalls, digits] = alphabet->second;
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
