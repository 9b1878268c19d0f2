// Layer normalisation as measured: rows of errors by format, method, width and scale.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/metric_names.h"
#include "results/run.h"

namespace labreport::benchmarking_mixed_precision {

/// In the order in which the report shows them.
inline constexpr std::array kFormats{Precision::kFp16, Precision::kBf16, Precision::kFp32};
inline constexpr std::array kMethods{metric::kRounded, metric::kReductions,
                                     metric::kFp32Statistics};

/// Errors are relative to FP64; absent where a step overflowed.
struct NormRow {
  std::string format;  ///< "fp16"
  std::string method;
  std::int64_t width = 0;
  std::int64_t scale_log2 = 0;
  std::optional<double> mean, squares, variance, rstd, output;
  /// Vectors of which the input, a square, the sum of the squares overflowed; whose variance is 0.
  double input_overflow = 0, square_overflow = 0, sum_overflow = 0, underflow = 0;
};

std::vector<NormRow> norm_rows(const Launch& launch);

/// Rows of one curve, by growing scale.
std::vector<NormRow> curve(const std::vector<NormRow>& rows, std::string_view format,
                           std::string_view method, std::int64_t width);

/// One row; null where it was not measured.
const NormRow* find(const std::vector<NormRow>& rows, std::string_view format,
                    std::string_view method, std::int64_t width, std::int64_t scale_log2);

std::vector<std::int64_t> widths(const std::vector<NormRow>& rows);

/// The least scale at which any vector of a curve is counted; nothing where none is.
std::optional<std::int64_t> first_scale(const std::vector<NormRow>& curve, double NormRow::* count);
std::optional<std::int64_t> last_scale(const std::vector<NormRow>& curve, double NormRow::* count);

}  // namespace labreport::benchmarking_mixed_precision
