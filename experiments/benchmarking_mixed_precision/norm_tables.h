// Layer normalisation's tables and figure.
#pragma once

#include <string>

#include "document/document.h"
#include "experiments/benchmarking_mixed_precision/norm_rows.h"

namespace labreport::benchmarking_mixed_precision {

/// "2^7" as text that reads well: "2⁷", "2⁻²⁴".
std::string power_of_two(std::int64_t exponent);

/// "rounded after each addition", "PyTorch's reductions", "FP32 statistics"
std::string method_words(std::string_view method);

/// A relative error in per cent, two digits.
std::string error_percent(std::optional<double> error);

/// At scale 1 and the largest width: what each step has lost.
TableView steps_table(const std::vector<NormRow>& rows);
/// At scale 1: the output's error by width.
TableView widths_table(const std::vector<NormRow>& rows);
/// Scales from which something overflows, up to which the variance vanishes.
TableView ranges_table(const std::vector<NormRow>& rows);
/// The output's error over the scale at the largest width.
Figure norm_figure(const std::vector<NormRow>& rows);

}  // namespace labreport::benchmarking_mixed_precision
