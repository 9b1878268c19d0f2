#include "experiments/benchmarking_mixed_precision/speedup.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "experiments/common/phases.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

/// The profiled step of that network that holds most; null: none ran.
const Launch* profile_of(const RunView& view, const CellSpec& network) {
  const Cell* fullest = nullptr;
  for (const Cell* cell : view.cells(CellKind::kKernels)) {
    const bool warm = cell->spec.steps != 0 && ok_launch(*cell) != nullptr;
    if (!warm || !same_setting(cell->spec, network)) continue;
    if (fullest == nullptr || cell->spec.mode > fullest->spec.mode) fullest = cell;
  }
  return fullest == nullptr ? nullptr : ok_launch(*fullest);
}

std::optional<KernelTime> kernel_time(const Launch* profile, std::string_view phase) {
  if (profile == nullptr) return std::nullopt;
  KernelTime time;
  for (const MeasuredRow& row : measured_rows(*profile, metric::kKernels)) {
    if (row.text(column::kPhase) != phase) continue;
    const std::string kind = row.text(column::kClass);
    double& sum = kind.starts_with("gemm") ? time.gemm : kind == "copy" ? time.copies : time.others;
    sum += row.number(column::kTotalNs).value_or(0) / kNanosecondsPerMillisecond;
    time.launched += row.number(column::kInstances).value_or(0);
  }
  const bool counts = time.total() > 0 && std::isfinite(time.total());
  return counts ? std::optional(time) : std::nullopt;
}

/// Gives passes what clocks and profiles say of a phase.
class PassReader {
 public:
  PassReader(const RunView& view, const TimingGroup& base, const TimingGroup& reduced)
      : base_(profile_of(view, base.spec)), reduced_(profile_of(view, reduced.spec)) {
    if (const auto step = fullest(reduced)) lags_ = device_lags(*step);
  }

  Pass read(std::string_view phase, std::vector<double> base, std::vector<double> reduced) const {
    Pass pass{std::move(base),           std::move(reduced),           {},
              kernel_time(base_, phase), kernel_time(reduced_, phase), {}};
    pass.speedup = ratio_of(pass.base, pass.reduced);
    const auto lag = std::ranges::find(lags_, phase, &PhaseLag::phase);
    if (lag != lags_.end()) pass.launch_bound = launch_bound(*lag);
    return pass;
  }

 private:
  const Launch *base_, *reduced_;
  std::vector<PhaseLag> lags_;
};

Speedup compare(const RunView& view, const TimingGroup& base, const TimingGroup& reduced) {
  const PassReader reader(view, base, reduced);
  const Phases fp32 = phases(base), other = phases(reduced);
  return {.size = size_of(base),
          .precision = reduced.spec.precision.value_or(Precision::kBf16),
          .parameters = static_cast<double>(parameter_count(*base.spec.model)),
          .base = &base,
          .reduced = &reduced,
          .forward = reader.read(metric::kForward, fp32.forward, other.forward),
          .backward = reader.read(metric::kBackward, fp32.backward, other.backward),
          .optimizer = reader.read(metric::kOptimizer, fp32.optimizer, other.optimizer),
          .step = reader.read("", whole_step(base, Mode::kTrainStep),
                              whole_step(reduced, Mode::kTrainStep))};
}

int rank(Precision precision) {
  if (precision == Precision::kBf16) return 0;
  return precision == Precision::kFp16 ? 1 : 2;
}

}  // namespace

std::string size_of(const TimingGroup& group) {
  const std::string words =
      group.spec.precision ? std::string(describe(*group.spec.precision)) : "";
  const std::string& label = group.label;
  return label.ends_with(", " + words) ? label.substr(0, label.size() - words.size() - 2) : label;
}

std::vector<Speedup> speedups(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<Speedup> rows;
  for (const TimingGroup& base : groups) {
    if (base.spec.precision != Precision::kFp32 || !base.spec.model) continue;
    for (const TimingGroup& reduced : groups) {
      const bool other = reduced.spec.precision && reduced.spec.precision != Precision::kFp32;
      if (other && same_network(base.spec, reduced.spec))
        rows.push_back(compare(view, base, reduced));
    }
  }
  std::ranges::stable_sort(
      rows, {}, [](const Speedup& row) { return std::pair(rank(row.precision), row.parameters); });
  return rows;
}

std::vector<Speedup> of_first_precision(const std::vector<Speedup>& rows, Pass Speedup::* pass) {
  std::vector<Speedup> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const Speedup& row) {
    return row.precision == rows.front().precision && (row.*pass).speedup;
  });
  return found;
}

std::string missing_step(const TimingGroup& group) {
  if (group.cells.empty()) return "";
  const auto& [mode, cell] = *group.cells.rbegin();  // Modes are ordered by content.
  const std::string reason = reason_missing(*cell);
  return reason.empty() ? "" : std::string(describe(mode)) + ": " + reason;
}

Value Pass::speedup_value() const {
  if (!speedup) return {};
  return speedup->deviation > 0 ? Value(speedup->value, speedup->deviation) : Value(speedup->value);
}

}  // namespace labreport::benchmarking_mixed_precision
