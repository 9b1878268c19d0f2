// Reads accumulation loops from a launch: their sums after every addition, and their errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::mixed_precision_accumulation {

struct Loop {
  std::string_view name;       ///< The metric's name.
  std::string_view label;      ///< "FP32 += FP16"
  double exact_addend = 0.01;  ///< The number that should be added.
  bool is_extra = false;       ///< True if the handout does not ask for the loop.
  double addend = 0;           ///< The number that was added: `exact_addend`, rounded to its dtype.
  std::vector<double> sums = {};
  std::vector<double> host_sums = {};  ///< The CPU's sums, if `sums` are a GPU's.

  double final_sum() const { return sums.back(); }
  double exact_sum() const { return exact_addend * static_cast<double>(sums.size()); }
  double error_after(std::size_t additions) const;  ///< Sum − additions · exact addend.
  double error() const { return error_after(sums.size()); }
  double input_error() const;  ///< The part of `error()` from rounding the exact addend.
  double accumulator_error() const { return error() - input_error(); }
};

/// Returns the handout's loops in its order, then extra ones. Leaves out loops that did not run.
std::vector<Loop> loops_of(const Launch& launch);

/// Returns null if no loop has that name.
const Loop* find_loop(const std::vector<Loop>& loops, std::string_view name);

}  // namespace labreport::mixed_precision_accumulation
