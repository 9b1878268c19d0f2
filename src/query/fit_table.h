// The table `fits`: a row says whether a training step fits a GPU, and how that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/database.h"
#include "results/cell.h"

namespace labreport {

struct FitRow {
  CellSpec step;         ///< With size, model, context, batch, precision and mode.
  std::string gpu = {};  ///< "NVIDIA H200"
  std::int64_t gpu_bytes = 0;
  std::int64_t peak_bytes = 0;  ///< By formula.
  std::string phase = {};       ///< The phase in which the step peaks.
  bool fits = false;            ///< As measured, or else by formula.
  /// "measured": a run measured this step on this GPU. Otherwise the formula decides. "formula":
  /// measured peaks of such steps confirm it. "extrapolated": they do, at smaller batches or
  /// shorter contexts. "unchecked": no measured peak does.
  std::string basis = {};
  std::optional<double> measured_bytes = {};  ///< Absent also if the step ran out of memory.
  std::optional<std::int64_t> peaks = {};     ///< The number of peaks that confirm the formula.
  std::optional<double> error = {};           ///< The worst of them: predicted ÷ measured − 1.
  std::string evidence_gpu = {};  ///< The GPU that measured; empty if `basis` is "unchecked".
  std::string evidence_run = {};  ///< The run that did, or most of the peaks.
};

struct FitColumn {
  const char* name;
  const char* type;
  const char* comment;
  SqlValue (*value)(const FitRow&);
};

const std::vector<FitColumn>& fit_columns();

/// Returns the rows as the answer to a query of the whole table.
QueryResult fit_table(const std::vector<FitRow>& rows);

}  // namespace labreport
