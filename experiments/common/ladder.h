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
  std::string reason;  ///< Why it has no numbers; empty if it has.
  std::vector<double> steps_ms = {};
  std::optional<double> busy_ms = {}, kernels = {}, peak_bytes = {}, mfu = {}, compile_s = {};
  std::vector<double> losses = {};  ///< One for each step from the first.

  bool ran() const { return !steps_ms.empty(); }
  double ms() const;                      ///< The mean.
  std::optional<double> idle_ms() const;  ///< Time of a step in which no kernel runs.
  std::optional<double> idle_share() const;
};

/// The rungs of one size, from the plainest. An FP32 ladder ends in TF32; 16-bit ladders run under
/// autocast throughout.
struct Ladder {
  std::string size;
  std::string words;  ///< "small in BF16"; "small in FP32"
  std::string precision;
  std::vector<Rung> rungs;
  /// A lower bound of the step's time: its GEMMs at the measured rate of the last rung's precision,
  /// then AdamW's 28 bytes a parameter at the measured copy bandwidth. Nothing if either is
  /// unknown.
  std::optional<double> floor_ms = {};

  const Rung* first() const;  ///< The first that ran; null if none did.
  const Rung* best() const;   ///< The fastest.
};

/// Sorted by size, FP32 before 16-bit, because paper shows only the last.
std::vector<Ladder> ladders(const RunView& view);

/// The gain of one rung over the last one before it that ran.
struct Gain {
  const Rung* before;
  const Rung* after;

  double speedup() const { return before->ms() / after->ms(); }
  double saved_ms() const { return before->ms() - after->ms(); }
  std::string saved() const;  ///< The magnitude, to three digits.
  /// True if at least half of the saving is time in which the GPU was idle.
  bool by_launches() const;
};

/// The gains of one ladder in its order; a slower rung is included with a speedup below 1.
std::vector<Gain> gains(const Ladder& ladder);

/// The `most` gains that save most and at least 2 %, the largest first. A change between two rungs
/// that leave the GPU idle over half the time is not ranked, nor is a smaller one.
std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t most);

/// The reason for a gain, to follow a comma: "because …". Empty if the run does not show it.
std::string because(const Gain& gain);

/// The ladder that advice is based on: the largest size's in 16 bits, else the largest size's; null
/// if none has two rungs.
const Ladder* advised(const std::vector<Ladder>& ladders);

}  // namespace labreport
