// Reads from a run how the step of one network scales from one GPU to several.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/value.h"
#include "document/view.h"
#include "experiments/common/ratio.h"

namespace labreport::scaling {

/// A time, and its standard deviation; 0 if it is not known.
struct Time {
  double ms;
  double deviation_ms = 0;
};

/// The step of ranks that train together, one a GPU (on a CPU: processes that share its cores).
struct RankedStep {
  const Cell* cell;
  std::string reason;                     ///< Why there are no times; empty if there are.
  std::vector<double> steps_ms = {};      ///< The slowest rank's, after the warm-up.
  std::optional<Time> optimizer = {};     ///< Its part of the step, a median.
  std::optional<double> peak_bytes = {};  ///< The most bytes allocated on a rank.

  std::int64_t ranks() const { return cell->spec.ranks ? cell->spec.ranks->count : 1; }
  std::int64_t batch() const { return *cell->spec.batch; }  ///< Sequences a rank.
  std::string scheme() const;  ///< "overlapped", "weights sharded (FSDP)", "make_step"; "–" alone
  bool communicates() const;   ///< False for one rank, and for ranks that exchange nothing.
  std::optional<double> ms() const;  ///< `typical_time` of `steps_ms`.
  /// Returns `ms`, which must exist, with the deviation of `steps_ms` without an outlier.
  Time time() const;
};

/// The parts in which several GPUs lose time against an equal share of one GPU's step add up to
/// `lost`. Their deviations are those of the steps that they compare.
struct Loss {
  const RankedStep* step;
  double share_ms;     ///< One GPU's step / the number of ranks.
  Time optimizer;      ///< Every rank updates all weights, not its share of them.
  Time smaller_batch;  ///< A rank's passes over its share of the batch − that share of them.
  Time communication;  ///< The step − the same step without communication.
  Time lost;           ///< The step − the share.

  bool is_plausible() const;  ///< True if no part is negative.
};

/// One network in one precision: its step on one GPU, and steps of ranks with the same whole batch
/// (strong scaling) or with the whole batch each (weak scaling).
struct ScaledNetwork {
  std::string words;  ///< "xl in FP32"
  RankedStep alone;
  std::vector<RankedStep> strong, weak;  ///< By ranks, then in plan order.

  std::int64_t batch() const { return alone.batch(); }
  /// Returns how many times as many tokens a second the ranks train as one GPU does.
  std::optional<Ratio> speedup(const RankedStep& step) const;
  /// Returns the fastest strong step of `ranks` ranks that communicate; null if none ran.
  const RankedStep* fastest(std::int64_t ranks) const;
  std::int64_t most_ranks() const;  ///< Counts strong steps that ran; 1 if none did.
  /// Returns the loss of overlapped all-reduces among `ranks` ranks; nothing if a step is missing.
  std::optional<Loss> loss(std::int64_t ranks) const;
  /// Predicts the overlapped step of twice as many ranks: halving the batch again costs the same
  /// factor again, and communication grows as the bytes that a ring sends, 2 (n − 1) / n a byte.
  double predicted_ms(const Loss& loss) const;
};

/// Returns the networks whose step on one GPU was planned, in plan order.
std::vector<ScaledNetwork> scaled_networks(const RunView& view);

}  // namespace labreport::scaling
