// Reads the loops from a launch: their sums after every addition, and the parts of their errors.
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
  bool extra = false;      ///< The handout does not ask for it.
  double addend = 0;       ///< The number that was added: `value`, rounded to its dtype.
  std::vector<double> sums = {};
  std::vector<double> host_sums = {};  ///< The CPU's, if the loop ran on a GPU.

  double last() const { return sums.back(); }
  double exact() const { return value * static_cast<double>(sums.size()); }
  double error_after(std::size_t additions) const;  ///< Sum minus additions · value.
  double error() const { return error_after(sums.size()); }
  double input_error() const;  ///< The part of `error` that rounding the addend explains.
  double accumulator_error() const { return error() - input_error(); }
};

/// The launch's loops, in the handout's order, then the extra ones.
std::vector<Loop> loops_of(const Launch& launch);

const Loop* find(const std::vector<Loop>& loops, std::string_view name);

}  // namespace labreport::mixed_precision_accumulation
