#include "report/printable.h"

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

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = byte_at(text, i);
    const bool c1 = begins_c1(text, i);
    const bool control = (byte < 0x20 || byte == 0x7F) && kept.find(text[i]) == kept.npos;
    if (c1) ++i;
    if (c1 || control)
      shown += kUnprintable;
    else
      shown += text[i];
  }
  return shown;
}

}  // namespace labreport
