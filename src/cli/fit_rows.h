// Makes the rows that say whether steps fit GPUs, for `labreport fits` and for SQL's table `fits`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/index/memory_fits.h"
#include "query/fit_table.h"
#include "results/run.h"

namespace labreport {

/// Collects what runs measured of the memory of labreport's network.
class FitEvidence {
 public:
  /// Adds a run under the name by which rows call it. Runs that mostly failed, imported ones and
  /// demonstrations are no evidence.
  void add(const Run& run, const std::string& name);

  /// Returns a row for each step on each GPU that computes in the step's precision: those of the
  /// runs and of data sheets, least memory first.
  std::vector<FitRow> rows(const std::vector<CellSpec>& steps) const;

  /// Returns the steps of SQL's table: the sizes of the runs and of their editions at common
  /// contexts and batches, also with checkpoints and with AdamW's state shared among ranks.
  std::vector<CellSpec> common_steps() const;

 private:
  struct Measured {
    std::string run, gpu;
    CellSpec step;
    std::optional<double> peak_bytes;
  };
  const Measured* find_measured(const CellSpec& step, const std::string& gpu) const;

  std::vector<RunSummary> summaries_;
  std::vector<Measured> measured_;
  std::vector<Size> sizes_;
};

}  // namespace labreport
