// The datasets of a comparison.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"
#include "document/dataset.h"

namespace labreport {

/// One number of one cell on both sides.
struct DiffRow {
  std::size_t number = 0;  ///< By which links name it.
  const ComparedRow* row = nullptr;
  std::vector<std::string> flags = {};  ///< What disturbed it, what is unclear or unexpected.

  bool in_bytes() const { return unit(row->measure) == "B"; }
};
DiffRow diff_row(std::size_t number, const ComparedRow& row);

/// Whether more can be said of the row than that it has too few launches.
bool is_judged(const ComparedRow& row);

/// "▼ faster"; missing where the row is not judged.
Value verdict_of(const ComparedRow& row);

/// "ratios": what both sides have, or one side failed at. "drawn": the same, where there is a
/// ratio. "evidence": two rows a ratio, with each launch.
std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows);

/// "sides": who A and B are.
Dataset sides_data(const Comparison& comparison, const DiffSource& a, const DiffSource& b);
/// "fits": cells that fit one device and not the other.
Dataset fits_data(const std::vector<ComparedRow>& rows);
/// "lone": cells that one run alone has, or that neither could measure.
Dataset lone_data(const std::vector<ComparedRow>& rows);
/// "speedups" over FP32 in each run; without rows where no row has both.
Dataset speedup_data(const std::vector<SpeedupRow>& speedups);
/// "places": one a precision, where the kernels of a step differ; without rows where they do not.
std::vector<Dataset> place_data(const Comparison& comparison);
/// "kernels": the longest of a class, where the runs use other families.
Dataset kernel_data(const std::vector<KernelChange>& changes);

}  // namespace labreport
