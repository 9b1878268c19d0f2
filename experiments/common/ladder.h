// Reads ladders from a run: training steps that each change makes faster than the step before.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/view.h"
#include "experiments/common/ratio.h"

namespace labreport {

/// One training step of a ladder: the step of the rung before with one more change.
struct Rung {
  const Cell* cell;
  std::string change;                 ///< The change from the rung before: "SDPA", "TF32".
  std::string reason;                 ///< Why the rung has no numbers; empty if it ran.
  std::vector<double> steps_ms = {};  ///< The times of the steps after the warm-up.
  std::optional<double> busy_ms = {}, kernels = {}, peak_bytes = {}, mfu = {}, compile_s = {};
  /// Parts of `busy_ms`. The loss counts as forward. Empty for a CUDA graph, which is replayed
  /// whole.
  std::optional<double> forward_ms = {}, backward_ms = {}, optimizer_ms = {};
  std::vector<double> losses = {};  ///< One for each step, warm-up steps included.

  bool ran() const { return !steps_ms.empty(); }
  double mean_ms() const;                 ///< `typical_time` of `steps_ms`.
  double deviation_ms() const;            ///< The deviation of `steps_ms` without an outlier.
  std::optional<double> idle_ms() const;  ///< The mean time of a step in which no kernel runs.
  std::optional<double> idle_us() const;  ///< `idle_ms()` / `kernels`, in µs.
  bool launch_bound() const;              ///< As in `Bound`; false if `busy_ms` is unknown.
};

/// A part of a rung's step: its name and its ms.
using StepPart = std::pair<const char*, std::optional<double>>;

/// Returns the parts of the rung's step in the order of the step. A step without a profile, or one
/// whose kernels take longer than the unprofiled step, is a single part. Empty if it did not run.
std::vector<StepPart> step_parts(const Rung& rung);

/// The rungs of one size in plan order; the first rung has no change. The last rungs of an FP32
/// ladder compute in TF32. All rungs of a 16-bit ladder run under autocast.
struct Ladder {
  std::string size;
  std::string words;  ///< "small in BF16"; "small, FP32 to TF32"
  std::string precision;
  std::vector<Rung> rungs;
  /// The time of the step's GEMMs at peak_flop_rate() in the last rung's precision, plus that of
  /// AdamW's 28 bytes for each parameter at peak_bandwidth(). Empty if one of them is unknown.
  std::optional<double> ms_at_peaks = {};
  std::string peaks = {};  ///< See `peak_words`.

  const Rung* first_run() const;  ///< The first rung that ran; null if none did.
  const Rung* fastest() const;    ///< The fastest rung; null if none ran.
  /// Divides the step of the first rung by that of the fastest; empty if none ran.
  std::optional<Ratio> speedup() const;
};

/// Returns the run's ladders, smaller sizes first and FP32 before 16 bits. The PDF shows the last
/// one, which is the largest size in 16 bits.
std::vector<Ladder> ladders(const RunView& view);

/// The time that a rung saves against the nearest earlier rung that ran.
struct Gain {
  const Rung* before;
  const Rung* after;

  double speedup() const { return before->mean_ms() / after->mean_ms(); }
  double saved_ms() const { return before->mean_ms() - after->mean_ms(); }
  std::string saved_digits() const;  ///< |saved_ms()| to three significant digits.
  /// True if a drop of GPU idle time explains at least half of `saved_ms()`.
  bool from_less_idle_time() const;
};

/// Returns the gain of each rung in the ladder's order. A slower rung has a speedup below 1.
std::vector<Gain> gains(const Ladder& ladder);

/// Returns at most `max_count` gains with a speedup of at least 1.02, the largest saving first. The
/// list ends before the first gain that is uncertain: one of its rungs is launch-bound, so its time
/// varies between processes by as much as a change saves; or it saves less than its steps scatter;
/// or no profile shows a reason, as on a CPU.
std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t max_count);

/// Returns the first gain from a launch-bound rung to one that is not, as its profile shows; empty
/// if there is none.
std::optional<Gain> end_of_launch_bound_steps(const Ladder& ladder);

/// Returns the reason for a gain as a clause, "because …"; empty if the run does not show it.
std::string reason_clause(const Gain& gain);

/// Returns the ladder that advice is based on: that of the largest size, in 16 bits if there is
/// one. Returns null if there is no ladder in which two rungs ran.
const Ladder* advised_ladder(const std::vector<Ladder>& ladders);

}  // namespace labreport
