#include "notes/author_text.h"

#include <algorithm>

namespace labreport {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kCommentOpen = "<!--";
constexpr std::string_view kCommentClose = "-->";

/// How many bytes of a control character begin here: C0 and DEL have one, C1 two in UTF-8.
std::size_t control_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first == '\n' || first == '\t') return 0;
  if (first < 0x20 || first == 0x7F) return 1;
  const bool c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 2 : 0;
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    // A carriage return alone ends a line too.
    if (rest.front() == '\r' && !rest.starts_with("\r\n")) clean.push_back('\n');
    const std::size_t control = control_bytes(rest);
    if (control == 0) clean.push_back(rest.front());
    i += std::max<std::size_t>(control, 1);
  }
  return clean;
}

std::string without_comments(std::string_view text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t open = std::min(text.find(kCommentOpen, begin), text.size());
    kept.append(text.substr(begin, open - begin));
    const std::size_t close = std::min(text.find(kCommentClose, open), text.size());
    const std::string_view comment = text.substr(open, close - open);
    kept.append(static_cast<std::size_t>(std::ranges::count(comment, '\n')), '\n');
    begin = close == text.size() ? close : close + kCommentClose.size();
  }
  return kept;
}

}  // namespace labreport
