// Runs as readers meet them, by name: whole, cut short, on a small GPU, on a noisy processor.
#pragma once

#include <span>

#include "results/run.h"

namespace labreport::report_cases {

struct Case {
  const char* name;
  Run (*make)();
};

std::span<const Case> all();

}  // namespace labreport::report_cases
