// Defines a table's typed values and how a column formats its numbers.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"

namespace labreport {

/// The format of a column's numbers by the rules of base/format.h. In each form, a deviation
/// determines a number's digits.
struct Notation {
  enum Form {
    kSignificant,  ///< `digits` significant digits
    kShortest,     ///< At most `digits` significant digits, no trailing zeros: "10.00013351"; below
                   ///< 10⁻⁴ as a power of ten
    kFixed,        ///< `digits` decimals
    kShort,        ///< At most `digits` decimals and four significant digits
    kCount,        ///< "128,625,408"
    kPercent,      ///< In percent (1 is 100 %), with one decimal
    kRelativeError,  ///< In percent (1 is 100 %), with `digits` significant digits; below 10⁻³ %
                     ///< as a power of ten
    kMebibytes,      ///< Bytes, written in MiB with one decimal at most
    kGibibytes,      ///< Bytes, written in GiB with two decimals at most
    kName,           ///< A count that names its row, such as a context: left-aligned like words
  };
  Form form = kSignificant;
  int digits = 4;
};

/// A cell's value: a number, perhaps with its standard deviation; words; or nothing, perhaps with a
/// reason.
struct Value {
  std::variant<std::monostate, double, std::string> held = {};
  std::optional<double> deviation = {};
  std::string reason = {};  ///< The reason why it is missing.
  std::string link = {};    ///< The link's target in a page.

  Value() = default;
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  Value(Number number)  // NOLINT: rows hold plain members
      : Value(static_cast<double>(number), std::nullopt) {}
  Value(std::string words) : held(std::move(words)) {}         // NOLINT
  Value(std::string_view words) : held(std::string(words)) {}  // NOLINT
  Value(const char* words) : held(std::string(words)) {}       // NOLINT
  template <typename T>
  Value(const std::optional<T>& value) : Value() {  // NOLINT
    if (value) *this = Value(*value);
  }
  /// Missing if the number is not finite; the reason says that it was divided by 0.
  Value(double number, std::optional<double> stddev);

  /// Mean and, of several samples, standard deviation; missing if there are no samples.
  static Value mean_of(const std::vector<double>& samples);
  static Value missing(std::string why);

  bool is_missing() const { return std::holds_alternative<std::monostate>(held); }
  const double* number() const { return std::get_if<double>(&held); }
};

/// The number, in MiB or GiB if the notation says so, but never multiplied by 100 for percent.
std::optional<double> number_in_unit(const Value& value, const Notation& notation);

/// Formats a value for a table: a number by its notation, words unchanged, "–" if missing.
ValueWithDeviation shown(const Value& value, const Notation& notation = {});

/// Formats a value for a sentence, in one text: "116.71 ± 0.29".
std::string format_value(const Value& value, const Notation& notation = {});

}  // namespace labreport
