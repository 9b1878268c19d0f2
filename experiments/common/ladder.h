// A training step made faster one change at a time, as presenters and advice read it from a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport {

/// One way of writing the step, on top of the one before it.
struct Rung {
  const Cell* cell;
  std::string change;  ///< "SDPA", "TF32": what it has that the one before lacks.
  std::string reason;  ///< Why it has no numbers; empty: it has.
  std::vector<double> steps_ms = {};
  std::optional<double> busy_ms = {}, kernels = {}, peak_bytes = {}, mfu = {}, compile_s = {};
  std::vector<double> losses = {};  ///< Of every step from the first.

  bool ran() const { return !steps_ms.empty(); }
  double ms() const;                      ///< The mean.
  std::optional<double> idle_ms() const;  ///< Of a step: no kernel runs.
  std::optional<double> idle_share() const;
};

/// The rungs of one size, from the plainest. FP32 goes on in TF32; a 16-bit ladder is all autocast.
struct Ladder {
  std::string size;
  std::string words;  ///< "small in BF16"; "small in FP32"
  std::string precision;
  std::vector<Rung> rungs;
  /// What no step can be below: its GEMMs at the measured rate of the last rung's precision, then
  /// AdamW's 28 bytes a parameter at the measured copy bandwidth. Nothing where they are unknown.
  std::optional<double> floor_ms = {};

  const Rung* first() const;  ///< Of those that ran; null: none.
  const Rung* best() const;   ///< The fastest.
};

/// Smaller sizes first, FP32 before 16-bit: paper shows the last.
std::vector<Ladder> ladders(const RunView& view);

/// What one rung gained over the one before it that ran.
struct Gain {
  const Rung* before;
  const Rung* after;

  double speedup() const { return before->ms() / after->ms(); }
  double saved_ms() const { return before->ms() - after->ms(); }
  std::string saved() const;  ///< Its size, to three digits: both times vary.
  /// At least half of what it saves is time in which the GPU was idle.
  bool by_launches() const;
};

/// Of one ladder, in its order; losses too, as speedups below 1.
std::vector<Gain> gains(const Ladder& ladder);

/// The `most` that save most and at least 2 %, the largest first. A change between two rungs that
/// leave the GPU idle over half the time is not ranked, nor are smaller ones.
std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t most);

/// Why, in words that follow a comma: "because …"; empty where the run does not show it.
std::string because(const Gain& gain);

/// The ladder that advice speaks of: the largest size's in 16 bits, else the largest's; null: none
/// with two rungs.
const Ladder* advised(const std::vector<Ladder>& ladders);

}  // namespace labreport
