// Warm-up windows: the same steps of one fresh process, counted from different beginnings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "document/document.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// `count` steps after `warmup` steps that are not counted.
struct Window {
  std::size_t warmup;
  Summary summary;  ///< ms
};

/// One network in one mode.
struct WarmupRow {
  std::string label;
  Mode mode;
  std::vector<double> steps;              ///< ms, from the process's first
  std::vector<double> first_steps;        ///< ms, of every fresh process
  std::vector<std::int64_t> allocations;  ///< device allocations in each step; may be empty
  std::vector<Window> windows;            ///< by warm-up: 0, 1, 2, 5 as far as the cell goes

  /// Mean of the window over that of the last window, less one; 0 where there is no such window.
  double mean_rise(std::size_t warmup) const;
  /// A step (0-based) over the last window's median, less one.
  double step_rise(std::size_t step) const;
  /// The deviation of the last window as a share of its mean; 0 without windows.
  double spread() const;
  std::int64_t allocations_in(std::size_t step) const;
};

/// "forward+backward step", "train step"
std::string step_words(Mode mode);

/// The modes that part (c) of the edition shows, for all networks that ran.
std::vector<WarmupRow> warmup_rows(const Edition& edition, const std::vector<TimingGroup>& groups);

/// Mean ± standard deviation for each window; networks that did not run with their reason.
TableView windows_table(const Edition& edition, const std::vector<TimingGroup>& groups,
                        const std::vector<WarmupRow>& rows);

/// Steps 1 to 6 singly, the first from every fresh process.
TableView first_step_table(const std::vector<WarmupRow>& rows);

/// The figure's data.
TableView steps_table(const std::vector<WarmupRow>& rows, Mode mode);

/// Windows against cells that were measured apart, each in its own process; empty without those.
TableView apart_table(const std::vector<TimingGroup>& groups, const std::vector<WarmupRow>& rows);

/// What happens before step 1.
TableView start_up_table(const std::vector<TimingGroup>& groups);

}  // namespace labreport::benchmarking_script
