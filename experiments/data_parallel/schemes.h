// Reads data-parallel training steps from a run, by network and scheme.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/value.h"
#include "document/view.h"
#include "experiments/distributed_communication_single_node/measured.h"
#include "plan/gradients.h"

namespace labreport::data_parallel {

/// One scheme and its results. A step or phase ends when the slowest rank has finished it.
struct SchemeResult {
  const Cell* cell;
  std::string reason;                 ///< Why the scheme has no numbers; empty if it has.
  std::vector<double> steps_ms = {};  ///< One for each counted step.
  /// Medians of the counted steps; the skew is the slowest rank's time minus the fastest rank's.
  std::optional<double> skew_ms = {}, backward_ms = {}, exchange_ms = {};
  double backward_deviation_ms = 0;
  double calls = 0;  ///< All-reduces of a step; calculated if the run did not count them.
  /// All-reduces' time in the traced step and how much of it computation overlapped, both on the
  /// rank with the most exposed communication.
  std::optional<double> communication_ms = {}, overlap_ms = {};
  /// The traced step's time / the mean timed step's; set only if it is too high to use the trace.
  std::optional<double> disturbed = {};
  std::optional<double> peak_bytes = {};      ///< The most bytes allocated on rank 0.
  std::optional<double> largest_error = {};   ///< Relative, of gradients and weights.
  std::optional<double> diverged_ranks = {};  ///< Number of ranks whose weights differ.

  Scheme scheme() const { return cell->spec.scheme.value_or(Scheme::kNone); }
  std::string words() const;  ///< "per parameter", "buckets of 10 MB"
  bool overlaps() const;      ///< True if its all-reduces begin during backward.
  Value step() const;         ///< Mean and deviation in ms, or why they are missing.
  /// `value`, or why the scheme has no numbers. `traced` also tells if the trace was too slow.
  Value or_reason(const std::optional<double>& value) const;
  Value traced(const std::optional<double>& value) const;
  std::optional<double> step_ms() const;
  std::optional<double> exposed_ms() const;
  std::optional<double> hidden_share() const;
};

/// One network at one batch, context and precision.
struct Network {
  CellSpec spec;      ///< `scheme` and `bucket` are not set.
  std::string words;  ///< "xl at context 512 in FP32"
  std::vector<SchemeResult> schemes;
  /// The line fitted to all-reduces by themselves on the same ranks, if the run measured them.
  std::optional<distributed_communication_single_node::Line> line = {};

  const SchemeResult* find(Scheme scheme) const;
  /// Null if the scheme was not planned or has no numbers.
  const SchemeResult* ran(Scheme scheme) const;
  std::vector<std::int64_t> gradients() const { return gradient_bytes(*spec.model); }
  double total_bytes() const;
  /// Mean step minus the mean step without communication; nothing if either is unknown.
  std::optional<double> added_ms(const SchemeResult& result) const;
  /// Backward's time / its time without communication − 1; nothing unless all-reduces overlap it.
  std::optional<double> stretch(const SchemeResult& result) const;
  std::optional<BucketFormula> model() const;
};

/// Returns networks in plan order.
std::vector<Network> networks_of(const RunView& view);

/// "15.0 MB" (10⁶ bytes), "7.99 GB" (10⁹ bytes).
std::string megabytes(double bytes);
/// Writes bytes in MB (10⁶ bytes), without a unit and with the fewest digits: "0.1", "1,000".
std::string cap_words(double bytes);

}  // namespace labreport::data_parallel
