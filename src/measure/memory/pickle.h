// Python's pickle format, as far as PyTorch's memory snapshots need it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace labreport {

/// Writes one value, which may nest: a dict or a list is opened, filled and closed.
class Pickle {
 public:
  Pickle();

  void integer(std::int64_t value);
  /// Written once, referred to afterwards.
  void text(std::string_view value);
  void boolean(bool value);

  void open_list();
  /// Readers in browsers take only so many elements at once: call it every thousand or so.
  void flush_list();
  void close_list();
  void open_dict();  ///< Then keys and values in turn.
  void close_dict();

  /// Gives the value just written a number, by which `refer` repeats it.
  std::uint32_t remember();
  void refer(std::uint32_t number);

  std::string finish() &&;

 private:
  void bytes_of(std::uint64_t value, int count);

  std::string bytes_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t next_ = 0;
};

}  // namespace labreport
