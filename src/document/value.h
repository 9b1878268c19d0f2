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

/// The format of a column's numbers, by the rules of base/format.h. In every form, a number with a
/// standard deviation has as many digits as the deviation allows.
struct Notation {
  enum Form {
    kSignificant,  ///< `digits` significant digits
    /// At most `digits` significant digits, "10.00013351"; below 10⁻⁴ with a power of ten.
    kNoTrailingZeros,
    kFixed,    ///< `digits` decimals
    kShort,    ///< At most `digits` decimals and four significant digits
    kCount,    ///< "128,625,408"
    kPercent,  ///< In percent (1 is 100 %), with one decimal
    /// In percent (1 is 100 %), with `digits` significant digits; below 10⁻³ % with a power of ten.
    kRelativeError,
    kMebibytes,  ///< Bytes, written in MiB with one decimal at most
    kGibibytes,  ///< Bytes, written in GiB with two decimals at most
    kRowNumber,  ///< A count that names its row, such as a context: left-aligned like words
  };
  Form form = kSignificant;
  int digits = 4;
};

inline constexpr Notation kThreeDigits{Notation::kSignificant, 3}, kAsCount{Notation::kCount},
    kAsPercent{Notation::kPercent};

/// The value of a table's cell: a number, perhaps with its standard deviation; words; or nothing,
/// perhaps with the reason why it is missing.
struct Value {
  std::variant<std::monostate, double, std::string> content = {};
  std::optional<double> deviation = {};
  std::string reason = {};  ///< The reason why the value is missing.
  std::string link = {};    ///< The link's target in a page.
  /// Says on pages over several runs what the number is: numbers of one key have one value. Empty
  /// in a run's own report.
  std::string key = {};

  Value() = default;
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  Value(Number number)  // NOLINT: rows hold plain members
      : Value(static_cast<double>(number), std::nullopt) {}
  Value(std::string words) : content(std::move(words)) {}         // NOLINT
  Value(std::string_view words) : content(std::string(words)) {}  // NOLINT
  Value(const char* words) : content(std::string(words)) {}       // NOLINT
  template <typename T>
  Value(const std::optional<T>& value) : Value() {  // NOLINT
    if (value) *this = Value(*value);
  }
  /// The value is missing if the number is not finite; the reason then blames a division by 0.
  Value(double number, std::optional<double> stddev);

  /// Returns the mean, with the standard deviation if there are several samples. The value is
  /// missing if there are none.
  static Value mean_of(const std::vector<double>& samples);
  static Value missing(std::string reason);

  /// Returns how many times as large as `other` the number is. The key is made of both keys. The
  /// value is missing if one of the numbers is.
  Value over(const Value& other) const;

  bool is_missing() const { return std::holds_alternative<std::monostate>(content); }
  const double* number() const { return std::get_if<double>(&content); }
};

/// Returns the number in the notation's unit: in MiB or GiB if it says so. A fraction that is
/// written in percent stays a fraction.
std::optional<double> number_in_unit(const Value& value, const Notation& notation);

/// Formats a value for a table: a number by its notation, words unchanged, "–" if missing.
ValueWithDeviation format_cell(const Value& value, const Notation& notation = {});

/// Formats a value for a sentence, in one text: "116.71 ± 0.29".
std::string format_value(const Value& value, const Notation& notation = {});

}  // namespace labreport
