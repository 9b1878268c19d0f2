#include "document/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace labreport {
namespace {

// Smaller numbers are written with a power of ten.
constexpr double kLeastWithoutPower = 1e-4;
constexpr double kLeastPercentWithoutPower = 1e-3;
constexpr int kMaxDigitsWithPower = 3;

double in_notation_unit(double number, const Notation& notation) {
  if (notation.form == Notation::kMebibytes) return number / kBytesPerMebibyte;
  return notation.form == Notation::kGibibytes ? number / kBytesPerGibibyte : number;
}

/// Groups the thousands of numbers with five digits before the point. Those with four are often
/// names, as in "buckets of 1000 MB".
std::string format_without_zeros(double number, int digits) {
  constexpr double kLeastGrouped = 1e4;
  const std::string plain = fmt::format("{:.{}g}", std::abs(number), digits);
  if (std::abs(number) < kLeastGrouped || plain.find('e') != plain.npos)
    return (number < 0 ? "−" : "") + plain;
  const std::size_t point = plain.find('.');
  return format_fixed(number, point == plain.npos ? 0 : static_cast<int>(plain.size() - point - 1));
}

std::string format_number(double number, const Notation& notation) {
  const int digits = notation.digits;
  const double percent = 100 * number;
  switch (notation.form) {
    case Notation::kNoTrailingZeros:
      if (number != 0 && std::abs(number) < kLeastWithoutPower) {
        return format_scientific(number, std::min(digits, kMaxDigitsWithPower));
      }
      return format_without_zeros(number, digits);
    case Notation::kFixed:
      return format_fixed(number, digits);
    case Notation::kShort:
      return format_short(number, digits);
    case Notation::kCount:
    case Notation::kRowNumber:
      return format_fixed(number, 0);
    case Notation::kPercent:
      return format_percent(number);
    case Notation::kRelativeError:
      return std::abs(percent) < kLeastPercentWithoutPower ? format_scientific(percent, digits)
                                                           : format_significant(percent, digits);
    case Notation::kMebibytes:
      return format_short(in_notation_unit(number, notation), 1);
    case Notation::kGibibytes:
      return format_short(in_notation_unit(number, notation), 2);
    case Notation::kSignificant:
      break;
  }
  return format_significant(number, digits);
}

}  // namespace

Value::Value(double number, std::optional<double> stddev) {
  if (!std::isfinite(number)) {
    reason = "a number that it divides by is 0";
    return;
  }
  content = number;
  if (stddev && std::isfinite(*stddev)) deviation = stddev;
}

Value Value::mean_of(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  const Summary summary = summarize(samples);
  return summary.count < 2 ? Value(summary.mean) : Value(summary.mean, summary.stddev);
}

Value Value::missing(std::string reason) {
  Value value;
  value.reason = std::move(reason);
  return value;
}

Value Value::over(const Value& other) const {
  if (number() == nullptr || other.number() == nullptr) return {};
  Value ratio = *number() / *other.number();
  ratio.key = key + ":" + other.key;
  return ratio;
}

std::optional<double> number_in_unit(const Value& value, const Notation& notation) {
  const double* number = value.number();
  return number == nullptr ? std::nullopt : std::optional(in_notation_unit(*number, notation));
}

ValueWithDeviation format_cell(const Value& value, const Notation& notation) {
  if (const auto* words = std::get_if<std::string>(&value.content)) return {*words, ""};
  if (value.is_missing()) return {kNoNumber, ""};
  if (!value.deviation) return {format_number(*value.number(), notation), ""};
  return format_with_deviation(*value.number(), *value.deviation);
}

std::string format_value(const Value& value, const Notation& notation) {
  return format_cell(value, notation).joined();
}

}  // namespace labreport
