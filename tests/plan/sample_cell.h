// A timing of the 2025 edition's largest network.
#pragma once

#include "plan/editions.h"
#include "results/cell.h"

namespace labreport {

inline CellSpec cell(Mode mode) {
  CellSpec spec;
  spec.model = ModelShape{2560, 10240, 32, 32, kHandoutVocab};
  spec.batch = 4;
  spec.context = 512;
  spec.precision = Precision::kFp32;
  spec.mode = mode;
  spec.warmup = 5;
  spec.steps = 10;
  return spec;
}

}  // namespace labreport
