// Cells that time the largest and the smallest network of the 2025 edition.
#pragma once

#include "plan/editions.h"
#include "results/cell.h"

namespace labreport {

inline CellSpec large_cell(Mode mode) {
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

/// Times two steps of the smallest network after one of warm-up.
inline CellSpec small_cell(Mode mode) {
  CellSpec spec = large_cell(mode);
  spec.size = "small";
  spec.model = ModelShape{768, 3072, 12, 12, kHandoutVocab};
  spec.warmup = 1;
  spec.steps = 2;
  return spec;
}

}  // namespace labreport
