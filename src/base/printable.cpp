#include "base/printable.h"

namespace labreport {
namespace {

constexpr std::string_view kUnprintable = "\uFFFD";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : '\xFF';
}

/// C1 is two bytes in UTF-8.
bool begins_c1(std::string_view text, std::size_t at) {
  return byte_at(text, at) == 0xC2 && byte_at(text, at + 1) >= 0x80 && byte_at(text, at + 1) < 0xA0;
}

/// U+FFFE and U+FFFF.
bool begins_no_character(std::string_view text, std::size_t at) {
  return byte_at(text, at) == 0xEF && byte_at(text, at + 1) == 0xBF &&
         byte_at(text, at + 2) >= 0xBE && at + 2 < text.size();
}

bool is_c0(char letter, std::string_view kept) {
  const auto byte = static_cast<unsigned char>(letter);
  return (byte < 0x20 || byte == 0x7F) && kept.find(letter) == kept.npos;
}

/// How many bytes at `at` nobody sees; 0: none.
std::size_t unprintable(std::string_view text, std::size_t at, std::string_view kept) {
  if (is_c0(text[at], kept)) return 1;
  if (begins_c1(text, at)) return 2;
  return begins_no_character(text, at) ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length = unprintable(text, i, kept);
    if (length == 0) continue;
    shown.append(text.substr(begin, i - begin)).append(kUnprintable);
    begin = i + length;
    i = begin - 1;
  }
  return shown.append(text.substr(begin));
}

}  // namespace labreport
