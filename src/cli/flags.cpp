#include "cli/flags.h"

#include <charconv>

#include "base/error.h"

namespace labreport {

std::string flag_name(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_single_name() : "--" + names.front();
}

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t min_value,
                          std::int64_t max_value) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < min_value) {
    throw InputError(flag + " is '" + text + "'",
                     "give a whole number, at least " + std::to_string(min_value));
  }
  if (value > max_value) {
    throw InputError(flag + " is '" + text + "'",
                     "give a whole number, at most " + std::to_string(max_value));
  }
  return value;
}

}  // namespace labreport
