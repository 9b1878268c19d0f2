// Presents part (d): the size of one tensor of the residual stream.
#include <algorithm>
#include <ranges>

#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

struct ResidualTensor {
  const MemoryProfile* profile;
  std::vector<std::string> flags = {};

  double formula_bytes() const { return static_cast<double>(residual_bytes(profile->spec)); }
  std::optional<double> measured_bytes() const {
    for (const MemoryStep& step : profile->steps | std::views::values) {
      if (const auto bytes = step.bytes(metric::kResidual, metric::kRequested)) return bytes;
    }
    return std::nullopt;
  }
};

Dataset residuals_data(const ProfileList& profiles) {
  std::vector<ResidualTensor> rows;
  double smallest_bytes = std::numeric_limits<double>::infinity();
  for (const MemoryProfile* profile : profiles) {
    ResidualTensor& row = rows.emplace_back(ResidualTensor{profile});
    smallest_bytes = std::min(smallest_bytes, row.formula_bytes());
    if (row.measured_bytes() && *row.measured_bytes() != row.formula_bytes())
      row.flags = {"does not agree"};
  }
  const Notation count{Notation::kCount};
  const std::vector<Column<ResidualTensor>> columns{
      {"context", "Context", [](const ResidualTensor& row) { return row.profile->setting; }, "",
       kRowNumber},
      {"formula", "By formula", &ResidualTensor::formula_bytes, "B", count},
      {"measured", "Measured", &ResidualTensor::measured_bytes, "B", count},
      bytes_column<ResidualTensor>("mebibytes", "By formula", &ResidualTensor::formula_bytes,
                                   mebibyte_unit(smallest_bytes))};
  return make_dataset("residuals", columns, rows);
}

}  // namespace

PartContent present_residual(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  const ProfileList described = described_profiles(profiles);
  const auto reference =
      std::ranges::find(described, view.edition().reference_context, &MemoryProfile::context);
  const ResidualTensor residual{reference == described.end() ? described.back() : *reference};
  const CellSpec& spec = residual.profile->spec;
  part.facts.set("size", spec.size);
  part.facts.set("context", format_count(residual.profile->context()));
  part.facts.set("batch", format_count(spec.batch.value_or(0)));
  part.facts.set("width", format_count(spec.model.value_or(ModelShape{}).d_model));
  part.facts.set("bytes", residual.formula_bytes(), {Notation::kCount});
  part.facts.set("tensor", format_bytes_briefly(residual.formula_bytes()));
  part.facts.flag("agrees", residual.measured_bytes() == residual.formula_bytes());
  part.datasets = {residuals_data(described)};
  return part;
}

}  // namespace labreport::memory_profiling
