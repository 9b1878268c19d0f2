// A training step made faster one change at a time, as presenters and advice read it from a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport {

/// The step after one more change.
struct Rung {
  const Cell* cell;
  std::string change;  ///< "SDPA", "TF32": the change from the rung before.
  std::string reason;  ///< Why the rung has no numbers; empty if it has.
  std::vector<double> steps_ms = {};
  std::optional<double> busy_ms = {}, kernels = {}, peak_bytes = {}, mfu = {}, compile_s = {};
  std::vector<double> losses = {};  ///< One for each step, warm-up steps included.

  bool ran() const { return !steps_ms.empty(); }
  double mean_ms() const;                    ///< The mean of `steps_ms`.
  std::optional<double> idle_ms() const;  ///< Time of a step in which no kernel runs.
  std::optional<double> idle_share() const;
};

/// The rungs of one size in plan order, beginning with no changes. The last rungs of an FP32 ladder
/// compute in TF32; all rungs of a 16-bit ladder run under autocast.
struct Ladder {
  std::string size;
  std::string words;  ///< "small in BF16"; "small in FP32"
  std::string precision;
  std::vector<Rung> rungs;
  /// A lower bound of the step's time: its GEMMs at the measured peak rate of the last rung's
  /// precision, plus AdamW's 28 bytes for each parameter at the measured copy bandwidth. Empty if
  /// the rate or the bandwidth is unknown.
  std::optional<double> floor_ms = {};

  const Rung* first_run() const;  ///< The first rung that ran; null if none did.
  const Rung* fastest() const;   ///< The fastest rung; null if none ran.
};

/// The smallest size first, FP32 before 16 bits. The PDF shows the last ladder: the largest size in
/// 16 bits.
std::vector<Ladder> ladders(const RunView& view);

/// The gain of a rung over the nearest earlier rung that ran.
struct Gain {
  const Rung* before;
  const Rung* after;

  double speedup() const { return before->mean_ms() / after->mean_ms(); }
  double saved_ms() const { return before->mean_ms() - after->mean_ms(); }
  std::string saved_words() const;  ///< |saved_ms()| to three digits.
  /// True if a drop of GPU idle time explains at least half of `saved_ms()`.
  bool from_idle_time() const;
};

/// The gains of all rungs in the ladder's order; a rung that is slower has a speedup below 1.
std::vector<Gain> gains(const Ladder& ladder);

/// At most `most` gains with a speedup of at least 1.02, sorted by the time they save, most first.
/// The list is cut off at the first gain whose rungs both leave the GPU idle for more than half of
/// the step, because such steps vary between processes by as much as a change saves.
std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t most);

/// The reason for a gain, as a clause "because …". Empty if the run does not show it.
std::string reason_clause(const Gain& gain);

/// The ladder that advice is based on: the largest size's, in 16 bits if there is one. Only ladders
/// in which two rungs ran count; null if there is none.
const Ladder* advised_ladder(const std::vector<Ladder>& ladders);

}  // namespace labreport
