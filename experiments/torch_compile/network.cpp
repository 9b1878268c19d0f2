#include "experiments/torch_compile/network.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/common/shipped.h"
#include "experiments/common/timing.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::torch_compile {
namespace {

constexpr const char* kNotPlanned =
    "a CPU takes a minute to compile a network; a demonstration compiles the sizes that its "
    "command names";

}  // namespace

std::string Side::reason() const { return cell_ == nullptr ? kNotPlanned : reason_missing(*cell_); }

std::vector<double> Side::step() const {
  return ran() ? milliseconds(*launch_, metric::kStep, metric::kTotal) : std::vector<double>();
}

std::vector<double> Side::phase(std::string_view phase) const {
  return ran() ? milliseconds(*launch_, metric::kEvent, phase) : std::vector<double>();
}

std::optional<double> Side::value(std::string_view tag, std::string_view name) const {
  return ran() ? single_number(*launch_, tag, name) : std::nullopt;
}

std::optional<double> Side::compile_seconds() const {
  const auto ns = value(metric::kStartUp, metric::kCompile);
  return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

std::optional<double> Side::peak_bytes() const {
  return value(metric::kMemory, metric::kPeakAllocated);
}

std::optional<double> Side::kernels() const { return value(metric::kProfile, metric::kKernels); }

std::optional<double> Side::busy_share() const {
  const auto busy = value(metric::kProfile, metric::kBusy);
  const std::vector<double> steps = step();
  const bool gpu = ran() && cell_->spec.device == DeviceKind::kCuda;
  if (!gpu || !busy || steps.empty()) return std::nullopt;
  return std::min(1.0, *busy / kNanosecondsPerMillisecond / median(steps));
}

std::map<std::string, ClassSum> Side::classes() const {
  std::map<std::string, ClassSum> sums;
  if (!ran()) return sums;
  for (const MeasuredRow& row : measured_rows(*launch_, metric::kKernels)) {
    const auto calls = row.number(column::kInstances), ns = row.number(column::kTotalNs);
    // torch.compile does not change the optimizer, which is left out on both sides.
    const bool compiled = row.text(column::kPhase) != metric::kOptimizer;
    if (!compiled || !calls || !ns) continue;
    std::string kind = row.text(column::kClass);
    if (kind.starts_with("gemm")) kind = "GEMM";
    if (kind == "exponential" || kind == "where") kind = "elementwise";
    ClassSum& sum = sums[kind];
    sum.calls += *calls;
    sum.ms += *ns / kNanosecondsPerMillisecond;
  }
  return sums;
}

std::vector<Network> networks(const RunView& view) {
  std::vector<Network> networks;
  for (const Cell& cell : view.run().cells) {
    const CellSpec& spec = cell.spec;
    if (spec.kind != CellKind::kKernels || spec.implementation != implementation_of({})) continue;
    CellSpec compiled = spec;
    compiled.implementation = implementation_of({.compiled = true});
    const Cell* partner = view.run().find(cell_id(compiled));
    networks.push_back({Side(cell), partner == nullptr ? Side() : Side(*partner)});
  }
  return networks;
}

}  // namespace labreport::torch_compile
