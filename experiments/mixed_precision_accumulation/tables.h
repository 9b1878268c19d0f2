// The accumulation problem's tables and figure.
#pragma once

#include <string>

#include "document/document.h"
#include "experiments/mixed_precision_accumulation/loops.h"

namespace labreport::mixed_precision_accumulation {

/// To ten digits, as many as tell any two FP32 sums here apart: "10.00013351".
std::string digits(double value);

/// "0.0001335"
std::string error_digits(double error);

TableView sums_table(const std::vector<Loop>& loops);
/// Sums that stop growing: when, and the rounding that stops them. No rows where none does.
TableView stalls_table(const std::vector<Loop>& loops);
Figure errors_figure(const std::vector<Loop>& loops);

}  // namespace labreport::mixed_precision_accumulation
