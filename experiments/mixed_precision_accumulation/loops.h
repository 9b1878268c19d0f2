// The loops as they ran: their sums after every addition, and what their errors consist of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::mixed_precision_accumulation {

struct Loop {
  std::string_view name;   ///< As in metrics.
  std::string_view label;  ///< "FP32 += FP16"
  int significand = 24;    ///< Bits of the accumulator's, the implied one included.
  double value = 0.01;     ///< What should be added.
  bool extra = false;      ///< Beside the handout's four.
  double addend = 0;       ///< What was added: `value` as its dtype holds it.
  std::vector<double> sums;
  std::vector<double> host_sums;  ///< Of the CPU beside a GPU; else empty.

  double last() const { return sums.back(); }
  double last_ulp() const;  ///< Unit in the last place of `last`.
  double exact() const { return value * static_cast<double>(sums.size()); }
  double error_after(std::size_t additions) const;  ///< Sum minus additions · value.
  double error() const { return error_after(sums.size()); }
  double input_error() const;  ///< The part of `error` that rounding the addend explains.
  double accumulator_error() const { return error() - input_error(); }
};

/// The distance between neighboring numbers at `value` with `significand` bits.
double unit_in_last_place(double value, int significand);

/// Loops that the launch holds, in the handout's order, then ours.
std::vector<Loop> loops_of(const Launch& launch);

const Loop* find(const std::vector<Loop>& loops, std::string_view name);

}  // namespace labreport::mixed_precision_accumulation
