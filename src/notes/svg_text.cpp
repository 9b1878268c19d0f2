#include "notes/svg_text.h"

#include <charconv>
#include <utility>

namespace labreport {
namespace {

constexpr std::size_t kMostShown = 60;

/// What `&…;` stands for; beyond ASCII any letter serves, since none is looked for.
char meant_by(std::string_view reference) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, letter] : kNamed) {
    if (reference == name) return letter;
  }
  if (!reference.starts_with('#')) throw NotPlain("an entity of its own");
  reference.remove_prefix(1);
  const bool hexadecimal = reference.starts_with('x');
  if (hexadecimal) reference.remove_prefix(1);
  unsigned value = 0;
  const std::string digits(reference);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || stop != end || value == 0) throw NotPlain("a broken reference &#…;");
  return value < 0x80 ? static_cast<char>(value) : '\xFF';
}

}  // namespace

bool begins_svg_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool is_in_svg_name(char letter) {
  return begins_svg_name(letter) || (letter >= '0' && letter <= '9') || letter == '-' ||
         letter == '.' || letter == ':';
}

std::string_view svg_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == name.npos ? std::string_view() : name.substr(0, colon);
}

std::string_view svg_local(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

std::string shown_name(std::string_view name) { return std::string(name.substr(0, kMostShown)); }

std::string svg_unescaped(std::string_view text) {
  std::string meant;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '&') {
      meant += text[at++];
      continue;
    }
    const std::size_t end = text.find(';', at);
    if (end == text.npos || end - at > 12) throw NotPlain("an & that stands for nothing");
    meant += meant_by(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return meant;
}

}  // namespace labreport
