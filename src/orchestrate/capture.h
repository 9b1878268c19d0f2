// Keeps the beginning and the end of an endless text in bounded memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace labreport {

class Capture {
 public:
  explicit Capture(std::size_t head_bytes = 16 << 10, std::size_t tail_bytes = 48 << 10)
      : head_bytes_(head_bytes), tail_bytes_(tail_bytes) {}

  void append(std::string_view bytes);

  /// Returns everything, or the head and tail with a line between them that counts the bytes left
  /// out.
  std::string text() const;

 private:
  std::size_t head_bytes_;
  std::size_t tail_bytes_;
  std::size_t dropped_ = 0;
  std::string head_;
  std::string tail_;  ///< `append` cuts it to `tail_bytes_` once it exceeds twice that.
};

/// Returns the last `max_lines` lines that are not blank, as printable UTF-8. If these have more
/// than `max_bytes` bytes, returns their last `max_bytes` bytes after an ellipsis.
std::string last_lines(std::string_view text, std::size_t max_lines, std::size_t max_bytes = 1000);

}  // namespace labreport
