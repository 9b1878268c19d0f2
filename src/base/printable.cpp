#include "base/printable.h"

namespace labreport {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : '\0';
}

/// Returns the bytes of an unprintable character that begins the non-empty `text`; 0 if none does.
std::size_t unprintable_length(std::string_view text, std::string_view kept) {
  if (kept.find(text.front()) != kept.npos) return 0;
  const unsigned char third = byte_at(text, 2);
  // U+202A–202E and U+2066–2069 reorder the text around them; U+FFFE and U+FFFF are no characters.
  const bool reorders = (text.starts_with("\xE2\x80") && third >= 0xAA && third <= 0xAE) ||
                        (text.starts_with("\xE2\x81") && third >= 0xA6 && third <= 0xA9);
  const bool is_no_character = text.starts_with("\xEF\xBF") && third >= 0xBE;
  return reorders || is_no_character ? 3 : control_length(text);
}

}  // namespace

std::size_t control_length(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  const unsigned char second = byte_at(text, 1);
  if (first == 0xC2 && second >= 0x80 && second < 0xA0) return 2;
  return !text.empty() && (first < 0x20 || first == 0x7F) ? 1 : 0;
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length = unprintable_length(text.substr(i), kept);
    if (length == 0) continue;
    result.append(text.substr(begin, i - begin)).append(kReplacement);
    begin = i + length;
    i = begin - 1;
  }
  return result.append(text.substr(begin));
}

}  // namespace labreport
