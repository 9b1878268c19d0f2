// Formats numbers for readers; only this file decides on decimals, units and signs. A minus is
// U+2212, and NaN and infinity are "–". base/csv and the JSON library format numbers for programs.
#pragma once

#include <cstdint>
#include <string>

namespace labreport {

inline constexpr const char* kNoNumber = "–";

inline constexpr double kNanosecondsPerMillisecond = 1e6;
inline constexpr double kBytesPerMebibyte = 1024.0 * 1024.0;
inline constexpr double kBytesPerGibibyte = 1024.0 * kBytesPerMebibyte;

/// A rounded value and its rounded deviation. The deviation is empty if there is none.
struct ValueWithDeviation {
  std::string value;
  std::string deviation;

  std::string tail() const;    ///< " ± 0.29"
  std::string joined() const;  ///< "116.71 ± 0.29"
};

std::string format_fixed(double value, int decimals);

/// Writes at most `max_decimals` decimals, and none beyond four significant digits: "109.5",
/// "2,226".
std::string format_short(double value, int max_decimals);

/// Writes the deviation with two significant digits, and the value with as many decimals: "16.71 ±
/// 0.29". If the value would then have more than four digits, the deviation has one: "1,018.9 ±
/// 0.4". A value with decimals has at most five digits, and a smaller deviation is rounded up to
/// its last place: "1,280.8 ± 0.1". Both have at most `max_decimals` decimals, and exactly this
/// number if the deviation is 0.
ValueWithDeviation format_with_deviation(double value, double deviation, int max_decimals = 5);

/// Writes significant digits without an exponent: "0.1234", "12.34", "1,234".
std::string format_significant(double value, int digits = 4);

std::string format_count(std::int64_t value);  ///< "128,625,408"
std::string format_ratio(double ratio);        ///< two decimals, without "×": "2.01"
std::string format_factor(double ratio);       ///< two significant digits: "2.7", "15"
std::string format_percent(double fraction);   ///< a fraction in percent: "46.8" for 0.468
/// Writes a fraction in percent, with one decimal below 10 % and none from 10 % on: "0.2", "4.7",
/// "68".
std::string format_rough_percent(double fraction);
std::string format_bytes(double bytes);  ///< "12.69 GiB", "20.0 MiB", "1.5 KiB", "12 B"
/// Writes bytes for a sentence: whole units exactly, else three digits: "20 MiB", "12.7 GiB".
std::string format_bytes_briefly(double bytes);
std::string format_duration(double seconds);  ///< "350 ms", "12 s", "4 min 5 s", "2 h 10 min"

std::string superscript(std::int64_t exponent);  ///< "⁷", "⁻²⁴"
/// Writes "1.2 × 10⁻⁷" with no-break spaces; "0" for zero. `digits` counts significant digits.
std::string format_scientific(double value, int digits);

/// Writes "1 size", "3 sizes"; `plural` defaults to singular + "s". Numbers are digits.
std::string format_plural(std::int64_t count, const std::string& singular,
                          const std::string& plural = "");

}  // namespace labreport
