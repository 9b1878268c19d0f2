// Writes Python's pickle format, as far as PyTorch's memory snapshots need it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace labreport {

/// Writes one value, possibly nested: dicts and lists are opened, filled and closed.
class Pickle {
 public:
  Pickle();

  void integer(std::int64_t value);
  /// Writes a text; repeated texts refer to the first one.
  void text(std::string_view value);
  void boolean(bool value);

  void open_list();
  /// Writes the list's elements so far. Call it about every thousand elements, because readers in
  /// browsers limit them.
  void flush_list();
  void close_list();
  void open_dict();  ///< Keys and values follow alternately.
  void close_dict();

  /// Gives the last value a number, by which `refer` repeats it.
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
