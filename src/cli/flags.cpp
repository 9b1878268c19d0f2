#include "cli/flags.h"

#include "base/error.h"
#include "base/text.h"

namespace labreport {

std::string flag_name(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_single_name() : "--" + names.front();
}

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t min_value,
                          std::int64_t max_value) {
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < min_value) {
    throw InputError(flag + " is '" + text + "'",
                     "give a whole number, at least " + std::to_string(min_value));
  }
  if (*value > max_value) {
    throw InputError(flag + " is '" + text + "'",
                     "give a whole number, at most " + std::to_string(max_value));
  }
  return *value;
}

}  // namespace labreport
