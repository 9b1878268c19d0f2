// Reads accumulation loops from a launch: their sums after every addition, and where errors arise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::mixed_precision_accumulation {

struct Loop {
  std::string_view name;   ///< The metric's name.
  std::string_view label;  ///< "FP32 += FP16"
  double value = 0.01;     ///< The number that should be added.
  bool extra = false;      ///< True if the handout does not ask for the loop.
  double addend = 0;       ///< The number that was added: `value`, rounded to its dtype.
  std::vector<double> sums = {};
  std::vector<double> host_sums = {};  ///< The CPU's sums, if `sums` are a GPU's.

  double last() const { return sums.back(); }
  double exact() const { return value * static_cast<double>(sums.size()); }
  double error_after(std::size_t additions) const;  ///< Sum minus additions · value.
  double error() const { return error_after(sums.size()); }
  double input_error() const;  ///< additions · (addend − value), a summand of `error()`.
  double accumulator_error() const { return error() - input_error(); }
};

/// Returns the handout's loops in its order, then extra ones; without loops that did not run.
std::vector<Loop> loops_of(const Launch& launch);

const Loop* find(const std::vector<Loop>& loops, std::string_view name);

}  // namespace labreport::mixed_precision_accumulation
