// Says which GPUs a step fits, by formulas of its peak that measured peaks confirm: GPUs that runs
// measured, and others by their data sheets. The page "What fits?", `labreport fits` and SQL's
// table `fits` ask here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "document/index/gpus.h"
#include "plan/memory.h"

namespace labreport {

/// The peaks of one kind of step that a GPU's runs measured. They are evidence for the formulas.
struct PeakEvidence {
  ConfirmedPeaks peaks;    ///< The peaks of all runs together.
  const RunSummary* run;   ///< The run that measured most of the peaks, the newest if several did.
  std::int64_t run_peaks;  ///< The number of peaks that `run` measured.

  bool has_checkpoints() const { return peaks.blocks > 0; }
  bool is_sharded() const { return peaks.ranks > 0; }
  bool is_plain() const { return !has_checkpoints() && !is_sharded(); }
  Mode mode() const { return parse_name<Mode>(peaks.mode); }
  Precision precision() const { return parse_name<Precision>(peaks.precision); }
  /// Returns a key that distinguishes kinds of steps. Steps with checkpoints, and steps that shard
  /// the optimizer's state, are kinds of their own.
  auto kind_key() const { return std::tuple(has_checkpoints(), is_sharded(), mode(), precision()); }
  /// Returns a step of the kind on one GPU, without checkpoints.
  CellSpec spec(const ModelShape& shape) const;
  /// True if batch and context were measured.
  bool covers(std::int64_t batch, std::int64_t context) const {
    return peaks.batch >= batch && peaks.context >= context;
  }
};

/// A GPU whose runs confirm formulas.
struct ConfirmedGpu {
  const GpuRuns* runs;
  std::int64_t memory_bytes;
  std::vector<PeakEvidence> evidence;  ///< One for each kind of step.

  /// Returns the evidence for steps of this kind; null if there is none.
  const PeakEvidence* find(const CellSpec& step) const;
};

/// Returns the GPUs whose runs confirm formulas, least memory first.
std::vector<ConfirmedGpu> confirmed_gpus(const std::vector<GpuRuns>& gpus);

/// Returns the calculated peak of a step in one process or, with ranks, of the rank that holds the
/// most of AdamW's state, which they share. Library workspaces are not in it.
ExpectedPeak fitted_peak(const CellSpec& step);

/// A GPU on which one may want to run a step.
struct FitGpu {
  std::string name;
  std::int64_t memory_bytes;                ///< As a run recorded it, or else by the data sheet.
  const ConfirmedGpu* confirmed = nullptr;  ///< Null if no run of it confirms formulas.

  /// Returns the data sheet's memory, "141 GB", or else the recorded one in GiB.
  std::string memory_words() const;
};

/// Returns the measured GPUs and all others of data sheets, least memory first.
std::vector<FitGpu> fit_gpus(const std::vector<ConfirmedGpu>& confirmed);

/// Says by formula if a step fits a GPU.
struct StepFit {
  std::int64_t peak_bytes;  ///< With the largest workspace of libraries that the evidence measured.
  bool fits;
  const PeakEvidence*
      evidence;          ///< The GPU's own, or else that of the GPU with most peaks; may be null.
  bool is_extrapolated;  ///< The evidence does not cover the step's batch and context.
};
StepFit fit_of(const CellSpec& step, const FitGpu& gpu, const std::vector<ConfirmedGpu>& confirmed);

/// Returns "more than 141 GB", the memory of the largest of these GPUs, which the step does not
/// fit.
std::string more_than(const FitGpu& largest);

}  // namespace labreport
