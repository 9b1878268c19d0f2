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

  /// Cells of a kind for which `wanted` holds, in plan order; without it, all of that kind.
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

/// The launch that represents the cell; null if none is ok.
const Launch* ok_launch(const Cell& cell);

/// The reason why a cell has no numbers: "out of memory in optimizer". Empty if it has.
std::string reason_missing(const Cell& cell);

/// Milliseconds of a samples metric in ns; empty when absent.
std::vector<double> milliseconds(const Launch& launch, std::string_view tag, std::string_view name);

/// Milliseconds of a single value in ns; nothing when absent.
std::optional<double> single_milliseconds(const Launch& launch, std::string_view tag,
                                          std::string_view name);

/// The samples after `warmup` steps, `count` of them at most.
std::vector<double> window(const std::vector<double>& samples, std::size_t warmup,
                           std::size_t count);

}  // namespace labreport
