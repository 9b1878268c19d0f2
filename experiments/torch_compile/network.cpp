#include "experiments/torch_compile/network.h"

#include <algorithm>

#include "base/format.h"
#include "base/outliers.h"
#include "experiments/common/ratio.h"
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

std::string MeasuredSteps::reason() const {
  return cell_ == nullptr ? kNotPlanned : reason_missing(*cell_);
}

std::vector<double> MeasuredSteps::times_ms(std::string_view phase) const {
  const auto tag = phase == metric::kTotal ? metric::kStep : metric::kEvent;
  return ran() ? milliseconds(*launch_, tag, phase) : std::vector<double>();
}

std::optional<double> MeasuredSteps::metric_value(std::string_view tag,
                                                  std::string_view name) const {
  return ran() ? single_number(*launch_, tag, name) : std::nullopt;
}

std::optional<double> MeasuredSteps::compile_seconds() const {
  const auto ns = metric_value(metric::kStartUp, metric::kCompile);
  return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

std::optional<double> MeasuredSteps::peak_bytes() const {
  return metric_value(metric::kMemory, metric::kPeakAllocated);
}

std::optional<double> MeasuredSteps::kernel_count() const {
  return metric_value(metric::kProfile, metric::kKernels);
}

std::optional<double> MeasuredSteps::busy_fraction() const {
  const auto busy = metric_value(metric::kProfile, metric::kBusy);
  const std::vector<double> steps = times_ms(metric::kTotal);
  const bool gpu = ran() && cell_->spec.device == DeviceKind::kCuda;
  if (!gpu || !busy || steps.empty()) return std::nullopt;
  return std::min(1.0, *busy / kNanosecondsPerMillisecond / typical_time(steps));
}

std::optional<LaunchCosts> MeasuredSteps::forward_costs() const {
  const std::vector<double> forward_ms = times_ms(metric::kForward);
  if (forward_ms.empty() || cell_->spec.device != DeviceKind::kCuda) return std::nullopt;
  return launch_costs(*launch_, {metric::kForward}, forward_ms);
}

std::optional<double> MeasuredSteps::forward_kernel_share() const {
  const auto costs = forward_costs();
  return costs ? std::optional(costs->kernel_share()) : std::nullopt;
}

std::optional<double> MeasuredSteps::forward_kernel_count() const {
  const auto costs = forward_costs();
  return costs ? std::optional(costs->launches) : std::nullopt;
}

std::map<std::string, KernelSum> MeasuredSteps::kernels_by_class() const {
  std::map<std::string, KernelSum> sums;
  if (!ran()) return sums;
  for (const MeasuredRow& row : measured_rows(*launch_, metric::kKernels)) {
    const auto calls = row.number(column::kInstances), ns = row.number(column::kTotalNs);
    // torch.compile does not change the optimizer, so its kernels are left out.
    const bool is_compiled = row.text(column::kPhase) != metric::kOptimizer;
    if (!is_compiled || !calls || !ns) continue;
    std::string kernel_class = row.text(column::kClass);
    if (kernel_class.starts_with("gemm")) kernel_class = "GEMM";
    if (kernel_class == "exponential" || kernel_class == "where") kernel_class = "elementwise";
    KernelSum& sum = sums[kernel_class];
    sum.calls += *calls;
    sum.ms += *ns / kNanosecondsPerMillisecond;
  }
  return sums;
}

std::vector<ComparedNetwork> compared_networks(const RunView& view) {
  std::vector<ComparedNetwork> networks;
  for (const Cell& cell : view.run().cells) {
    const CellSpec& spec = cell.spec;
    if (spec.kind != CellKind::kKernels || spec.implementation != implementation_of({})) continue;
    CellSpec compiled_spec = spec;
    compiled_spec.implementation = implementation_of({.compiled = true});
    const Cell* compiled = view.run().find(cell_id(compiled_spec));
    networks.push_back(
        {MeasuredSteps(cell), compiled == nullptr ? MeasuredSteps() : MeasuredSteps(*compiled)});
    std::vector<std::string>& flags = networks.back().flags;
    for (const auto& [way, steps] : {std::pair("eager ", &networks.back().eager),
                                     std::pair("compiled ", &networks.back().compiled)}) {
      for (const auto& [words, phase] :
           {std::pair("forward", metric::kForward), std::pair("step", metric::kTotal)}) {
        std::ranges::move(outlier_remark(std::string(way) + words, steps->times_ms(phase)),
                          std::back_inserter(flags));
      }
    }
    if (!flags.empty()) flags.insert(flags.begin(), "outlier");
  }
  return networks;
}

}  // namespace labreport::torch_compile
