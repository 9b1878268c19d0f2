// Looks things up in a run for presenters.
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

class RunView {
 public:
  RunView(const Run& run, const Edition& edition) : run_(run), edition_(edition) {}

  const Run& run() const { return run_; }
  const Edition& edition() const { return edition_; }

  using Wanted = std::function<bool(const CellSpec&)>;

  /// Cells of a kind for which `wanted` holds, in plan order; all of that kind if `wanted` is
  /// empty. Shipped variants (results/shipped.h) are left out.
  std::vector<const Cell*> cells(CellKind kind, const Wanted& wanted = {}) const;

  /// The first of `cells`, or null.
  const Cell* cell(CellKind kind, const Wanted& wanted = {}) const;

  /// The device on which most cells ran; null if nothing started.
  const Device* device() const;

  /// False in a CPU demonstration, true if the run does not say.
  bool on_gpu() const;

 private:
  const Run& run_;
  const Edition& edition_;
};

/// "NVIDIA H200", or "NVIDIA H200 (GPU 0a1b2c3d)" if several GPUs measured the run.
std::string device_words(const Run& run, const Device& device);

/// The cell's first launch that is ok; null if there is none.
const Launch* ok_launch(const Cell& cell);

/// The reason why a cell has no numbers: "out of memory in optimizer". Empty if it has some.
std::string reason_missing(const Cell& cell);

/// The samples of a metric recorded in ns, converted to ms; empty if the launch lacks the metric.
std::vector<double> milliseconds(const Launch& launch, std::string_view tag, std::string_view name);

/// The value of a single-valued metric in ns, converted to ms; nothing if it is absent.
std::optional<double> single_milliseconds(const Launch& launch, std::string_view tag,
                                          std::string_view name);

/// The samples after the first `warmup`, at most `count` of them.
std::vector<double> window(const std::vector<double>& samples, std::size_t warmup,
                           std::size_t count);

}  // namespace labreport
