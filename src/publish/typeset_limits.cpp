#include "publish/typeset_limits.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace labreport {
namespace {

constexpr double kDefaultSeconds = 60;
constexpr double kMostSeconds = 1e6;
constexpr long kMostMib = 1L << 30;

/// `otherwise` where it is not set.
template <typename Number>
Number positive_variable(const char* name, Number otherwise, Number most) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view digits = text;
  Number number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size() || !(number > 0) ||
      number > most) {
    throw InputError(std::string(name) + " is '" + text + "'", "give a number above 0");
  }
  return number;
}

}  // namespace

double typeset_seconds() {
  positive_variable("LABREPORT_TYPESET_MIB", 1L, kMostMib);
  return positive_variable("LABREPORT_TYPESET_SECONDS", kDefaultSeconds, kMostSeconds);
}

}  // namespace labreport
