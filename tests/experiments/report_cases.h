// Runs as readers meet them, by name: whole, cut short, on a small GPU, on a noisy processor.
#pragma once

#include <span>

#include "results/run.h"

namespace labreport::report_cases {

struct Case {
  const char* name;
  Run (*make)();
  bool whole = false;  ///< Its whole report is held against a golden file, not its answers alone.
};

std::span<const Case> all();

}  // namespace labreport::report_cases
