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

  void write_integer(std::int64_t value);
  /// Writes a text, or a reference to its first copy if the text was written before.
  void write_text(std::string_view value);
  void write_boolean(bool value);

  void open_list();
  /// Appends the elements so far to the open list. Call it at least every thousand elements,
  /// because pickle readers in browsers limit how many one append may have.
  void flush_list();
  void close_list();
  void open_dict();  ///< Keys and values follow alternately.
  void close_dict();

  /// Gives the last value a number, by which refer() writes the value again.
  std::uint32_t remember();
  void refer(std::uint32_t number);

  std::string finish() &&;

 private:
  void append_bytes(std::uint64_t value, int count);

  std::string bytes_;
  std::unordered_map<std::string, std::uint32_t> text_numbers_;
  std::uint32_t next_number_ = 0;
};

}  // namespace labreport
