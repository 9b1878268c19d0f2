#include "experiments/torch_compile/network.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/common/shipped.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::torch_compile {
namespace {

constexpr const char* kNotPlanned =
    "a CPU takes a minute to compile a network; a demonstration compiles the sizes that its "
    "command "
    "names";

std::string class_of(const std::string& kind) {
  if (kind.starts_with("gemm")) return "GEMM";
  return kind == "exponential" || kind == "where" ? "elementwise" : kind;
}

bool is(const CellSpec& spec, const ShippedVariant& variant) {
  return spec.kind == CellKind::kKernels && spec.implementation == implementation_of(variant);
}

/// True if the steps differ only in what runs them.
bool same_step(CellSpec a, const CellSpec& b) {
  a.implementation = b.implementation;
  return cell_id(a) == cell_id(b);
}

}  // namespace

std::string Side::reason() const { return cell_ == nullptr ? kNotPlanned : reason_missing(*cell_); }

std::vector<double> Side::step() const {
  return ran() ? milliseconds(*launch_, metric::kStep, metric::kTotal) : std::vector<double>();
}

std::vector<double> Side::phase(std::string_view phase) const {
  return ran() ? milliseconds(*launch_, metric::kEvent, phase) : std::vector<double>();
}

std::optional<double> Side::value(std::string_view tag, std::string_view name) const {
  const Metric* metric = ran() ? launch_->find(tag, name) : nullptr;
  return metric == nullptr ? std::nullopt : metric->number();
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
    if (row.text(column::kPhase) == metric::kOptimizer)
      continue;  // the optimizer is compiled in
                 // neither
    const auto calls = row.number(column::kInstances), ns = row.number(column::kTotalNs);
    if (!calls || !ns) continue;
    ClassSum& sum = sums[class_of(row.text(column::kClass))];
    sum.calls += *calls;
    sum.ms += *ns / kNanosecondsPerMillisecond;
  }
  return sums;
}

std::vector<Network> networks(const RunView& view) {
  std::vector<Network> found;
  for (const Cell& cell : view.run().cells) {
    if (!is(cell.spec, {})) continue;
    Network& network = found.emplace_back(Network{Side(cell), {}});
    for (const Cell& other : view.run().cells) {
      const bool compiled = is(other.spec, {.compiled = true});
      if (compiled && same_step(other.spec, cell.spec)) network.compiled = Side(other);
    }
  }
  return found;
}

}  // namespace labreport::torch_compile
