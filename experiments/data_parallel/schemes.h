// Data-parallel training steps as a run holds them: grouped by network, a row for each scheme.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/value.h"
#include "document/view.h"
#include "experiments/distributed_communication_single_node/measured.h"
#include "plan/gradients.h"

namespace labreport::data_parallel {

/// One scheme and its results; times in milliseconds. A step or phase ends when its slowest rank
/// has finished it.
struct SchemeResult {
  const Cell* cell;
  std::string reason;                 ///< Why it has no numbers; empty if it has.
  std::vector<double> steps_ms = {};  ///< One for each counted step.
  /// Medians over the counted steps; the skew is the slowest rank's time less the fastest one's.
  std::optional<double> skew_ms = {}, backward_ms = {}, exchange_ms = {};
  double backward_deviation_ms = 0;
  double calls = 0;  ///< All-reduces of a step; calculated if not counted.
  /// Taken from the traced step of the rank with the most exposed communication.
  std::optional<double> communication_ms = {}, overlap_ms = {};
  /// The ratio of the traced step's time to the timed steps', set only if tracing slowed the step
  /// too much for the trace to describe them.
  std::optional<double> disturbed = {};
  std::optional<double> peak_bytes = {};      ///< The most that rank 0 had allocated.
  std::optional<double> largest_error = {};   ///< The relative error of gradients and weights.
  std::optional<double> diverged_ranks = {};  ///< Ranks whose weights differ.

  Scheme scheme() const { return cell->spec.scheme.value_or(Scheme::kNone); }
  std::string words() const;  ///< "per parameter", "buckets of 10 MB"
  bool overlaps() const;      ///< True if its all-reduces begin during backward.
  Value step() const;         ///< Mean and deviation, or why they are missing.
  /// The value, or why the scheme has no numbers; `traced` also tells why the trace is not used.
  Value or_reason(const std::optional<double>& value) const;
  Value traced(const std::optional<double>& value) const;
  std::optional<double> step_ms() const;
  std::optional<double> exposed_ms() const;
  std::optional<double> hidden_share() const;
};

/// One network at one batch, context and precision.
struct Network {
  CellSpec spec;      ///< Without scheme and bucket.
  std::string words;  ///< "xl at context 512 in FP32"
  std::vector<SchemeResult> schemes;
  /// The line fitted to all-reduces without training among as many ranks, if the run measured them.
  std::optional<distributed_communication_single_node::Line> line = {};

  const SchemeResult* find(Scheme scheme) const;
  /// The scheme if it has numbers, else null.
  const SchemeResult* ran(Scheme scheme) const;
  std::vector<std::int64_t> gradients() const { return gradient_bytes(*spec.model); }
  double total_bytes() const;
  /// Extra time compared with the step without communication.
  std::optional<double> added_ms(const SchemeResult& result) const;
  /// Relative extra time of the backward pass, if all-reduces run during it.
  std::optional<double> stretch(const SchemeResult& result) const;
  std::optional<BucketModel> model() const;
};

/// Networks are in plan order.
std::vector<Network> networks_of(const RunView& view);

/// "15.0 MB", "7.99 GB": units of 10⁶ and 10⁹ bytes.
std::string megabytes(double bytes);
/// A bucket's cap in MB, with the fewest digits: "0.1", "1,000".
std::string cap_words(double bytes);

}  // namespace labreport::data_parallel
