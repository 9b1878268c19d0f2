#include "orchestrate/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/text.h"

namespace labreport {
namespace {

std::string without_control_characters(std::string text) {
  const bool utf8 = is_utf8(text);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) c = ' ';
    if (!utf8 && byte >= 0x80) c = '?';
  }
  return text;
}

/// Returns at most the last `max_bytes` bytes. The result begins at a character's first byte.
std::string_view last_bytes(std::string_view text, std::size_t max_bytes) {
  std::size_t begin = text.size() - std::min(text.size(), max_bytes);
  while (begin < text.size() && (text[begin] & 0xC0) == 0x80) ++begin;
  return text.substr(begin);
}

}  // namespace

void Capture::append(std::string_view bytes) {
  const std::size_t room = std::min(head_bytes_ - head_.size(), bytes.size());
  head_ += bytes.substr(0, room);
  tail_ += bytes.substr(room);
  if (tail_.size() <= 2 * tail_bytes_) return;
  dropped_ += tail_.size() - tail_bytes_;
  tail_.erase(0, tail_.size() - tail_bytes_);
}

std::string Capture::text() const {
  if (dropped_ == 0) return head_ + tail_;
  return fmt::format("{}\n[{} bytes left out]\n{}", head_, dropped_, tail_);
}

std::string last_lines(std::string_view text, std::size_t max_lines, std::size_t max_bytes) {
  std::deque<std::string> last;
  for (std::string& line :
       split(without_control_characters(std::string(last_bytes(text, (max_lines + 1) * max_bytes))),
             '\n')) {
    if (line.find_first_not_of(' ') == line.npos) continue;
    last.push_back(std::move(line));
    if (last.size() > max_lines) last.pop_front();
  }
  std::string joined = join(std::vector<std::string>(last.begin(), last.end()), "\n");
  if (joined.size() <= max_bytes) return joined;
  return "…" + std::string(last_bytes(joined, max_bytes));
}

}  // namespace labreport
