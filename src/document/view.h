// Finds cells, launches and numbers of a run for presenters.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "plan/editions.h"
#include "results/run.h"

namespace labreport {

/// A run and the edition by which it was planned. Both must outlive the view.
class RunView {
 public:
  RunView(const Run& run, const Edition& edition) : run_(run), edition_(edition) {}

  const Run& run() const { return run_; }
  const Edition& edition() const { return edition_; }

  using SpecFilter = std::function<bool(const CellSpec&)>;

  /// Returns the cells of a kind that `filter` accepts, in plan order; all of that kind if
  /// `filter` is empty. Variants that PyTorch ships (results/shipped_variant.h) are left out.
  std::vector<const Cell*> cells(CellKind kind, const SpecFilter& filter = {}) const;

  /// Returns the first of `cells`, or null.
  const Cell* cell(CellKind kind, const SpecFilter& filter = {}) const;

  /// Returns the device on which most cells ran; null if no cell started.
  const Device* device() const;

  /// False for a CPU demonstration, also if no cell of it started.
  bool on_gpu() const;

 private:
  const Run& run_;
  const Edition& edition_;
};

/// "NVIDIA H200", or "NVIDIA H200 (GPU 0a1b2c3d)" if the run has several devices.
std::string device_words(const Run& run, const Device& device);

/// Returns the cell's first successful launch; null if there is none.
const Launch* ok_launch(const Cell& cell);

/// Returns the reason why a cell has no numbers, "out of memory in optimizer". Empty if it has
/// some.
std::string reason_missing(const Cell& cell);

/// Returns the samples of a metric in ns, converted to ms; empty if the launch lacks the metric.
std::vector<double> milliseconds(const Launch& launch, std::string_view tag, std::string_view name);

/// Returns the single value of a metric in ns, converted to ms; nothing if it is absent.
std::optional<double> single_milliseconds(const Launch& launch, std::string_view tag,
                                          std::string_view name);

/// Returns the samples after the first `warmup`, at most `count` of them.
std::vector<double> window(const std::vector<double>& samples, std::size_t warmup,
                           std::size_t count);

}  // namespace labreport
