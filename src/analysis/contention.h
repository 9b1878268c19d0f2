// Compares kernels that run beside collectives with the same kernels of a step that runs them
// alone.
#pragma once

#include <optional>
#include <string_view>

#include "results/run.h"

namespace labreport {

struct Contention {
  double longer_ms;  ///< By which the kernels beside collectives take longer than alone.
  double alone_ms;   ///< The time of these kernels without collectives.
  /// The error of `longer_ms`: how far the kernels that run alone in both steps differ in time,
  /// as a share, times `alone_ms`. Nothing if no kernel runs alone in both.
  std::optional<double> error_ms;

  double stretch() const { return longer_ms / alone_ms; }
};

/// Compares the table kContention of two traced steps on the same shapes, in `phase` or, if that is
/// empty, in forward and backward. Kernels are matched by phase, module, class and place. Returns
/// nothing if a table is missing, if no matched kernel runs beside a collective in `overlapped`, or
/// if these kernels do not take longer by more than the error.
std::optional<Contention> contention(const Launch& overlapped, const Launch& alone,
                                     std::string_view phase = "");

}  // namespace labreport
