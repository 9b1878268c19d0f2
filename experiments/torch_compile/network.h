// Reads a network's training step from a run, in eager mode and compiled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport::torch_compile {

/// All kernels of one class in one step's forward, loss and backward.
struct ClassSum {
  double calls = 0, ms = 0;
};

/// A network's training step, either eager or compiled.
class Side {
 public:
  Side() = default;
  explicit Side(const Cell& cell) : cell_(&cell), launch_(ok_launch(cell)) {}

  const Cell* cell() const { return cell_; }
  bool ran() const { return launch_ != nullptr; }
  std::string reason() const;  ///< Why this side has no numbers; empty if it has.

  /// Milliseconds of unprofiled steps, or of one of their phases; empty if they did not run.
  std::vector<double> step() const;
  std::vector<double> phase(std::string_view phase) const;
  std::optional<double> compile_seconds() const;
  std::optional<double> peak_bytes() const;
  std::optional<double> kernels() const;  ///< Number in one training step.
  /// The profiled step's busy time / the median unprofiled step, at most 1; empty on a CPU.
  std::optional<double> busy_share() const;
  /// Sums of kernels by the classes that tables show: "GEMM", "fused", "elementwise", …
  std::map<std::string, ClassSum> classes() const;

 private:
  std::optional<double> value(std::string_view tag, std::string_view name) const;

  const Cell* cell_ = nullptr;
  const Launch* launch_ = nullptr;
};

struct Network {
  Side eager, compiled;

  const CellSpec& spec() const { return eager.cell()->spec; }
  bool both() const { return eager.ran() && compiled.ran(); }
  std::string precision() const { return std::string(describe(*spec().precision)); }
};

/// Returns networks in plan order: by precision, then by size.
std::vector<Network> networks(const RunView& view);

}  // namespace labreport::torch_compile
