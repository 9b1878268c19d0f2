// Reads a network's training step from a run, in eager mode and compiled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "experiments/common/launch_costs.h"

namespace labreport::torch_compile {

/// All kernels of one class in forward, loss and backward of one profiled step.
struct KernelSum {
  double calls = 0, ms = 0;
};

/// The measured training steps of one network, either eager or compiled.
class MeasuredSteps {
 public:
  MeasuredSteps() = default;
  explicit MeasuredSteps(const Cell& cell) : cell_(&cell), launch_(ok_launch(cell)) {}

  const Cell* cell() const { return cell_; }
  bool ran() const { return launch_ != nullptr; }
  std::string reason() const;  ///< Why there are no numbers; empty if there are.

  /// Returns the times of a phase, or of `metric::kTotal`, in all unprofiled steps; empty if none
  /// ran.
  std::vector<double> times_ms(std::string_view phase) const;
  std::optional<double> compile_seconds() const;
  std::optional<double> peak_bytes() const;
  std::optional<double> kernel_count() const;  ///< Number in one training step.
  /// The profiled step's busy time / `typical_time` of the others, at most 1; empty on a CPU.
  std::optional<double> busy_fraction() const;
  /// The launches of the forward pass, against its median time; empty on a CPU.
  std::optional<LaunchCosts> forward_costs() const;
  std::optional<double> forward_kernel_share() const;  ///< The part of it that kernels fill.
  std::optional<double> forward_kernel_count() const;
  /// Returns the sums by the classes that tables show: "GEMM", "fused", "elementwise", …
  std::map<std::string, KernelSum> kernels_by_class() const;

 private:
  std::optional<double> metric_value(std::string_view tag, std::string_view name) const;

  const Cell* cell_ = nullptr;
  const Launch* launch_ = nullptr;
};

/// One network in one precision, trained eagerly and compiled.
struct ComparedNetwork {
  MeasuredSteps eager, compiled;
  std::vector<std::string> flags = {};  ///< "outlier", and the means without it.

  const CellSpec& spec() const { return eager.cell()->spec; }
  bool both_ran() const { return eager.ran() && compiled.ran(); }
  std::string precision() const { return std::string(describe(*spec().precision)); }
};

/// Returns networks in plan order: by precision, then by size.
std::vector<ComparedNetwork> compared_networks(const RunView& view);

}  // namespace labreport::torch_compile
