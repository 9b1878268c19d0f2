// Data-parallel training steps as a run holds them: grouped by network, a row for each scheme.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"
#include "experiments/distributed_communication_single_node/measured.h"
#include "plan/gradients.h"

namespace labreport::data_parallel {

/// One scheme, and what came of it; milliseconds. A step is over when its slowest rank has done it,
/// and so is each of its phases.
struct Trained {
  const Cell* cell;
  std::string reason;                 ///< Why it has no numbers; empty: it has.
  std::vector<double> steps_ms = {};  ///< Counted steps.
  /// Medians over them: slowest rank less fastest; phases.
  std::optional<double> skew_ms = {}, backward_ms = {}, exchange_ms = {};
  double backward_deviation_ms = 0;
  double calls = 0;  ///< All-reduces of a step; by arithmetic if they were not counted.
  /// Of the traced step, of the rank with the most exposed.
  std::optional<double> communication_ms = {}, both_ms = {};
  /// Of the traced step over the timed ones, where it is so long that it tells nothing of them.
  std::optional<double> disturbed = {};
  std::optional<double> peak_bytes = {};  ///< The most that rank 0 had allocated.
  std::optional<double> off = {};         ///< Of gradients or weights, see `equality`.
  std::optional<double> apart = {};       ///< Ranks that hold other weights.

  Scheme scheme() const { return cell->spec.scheme.value_or(Scheme::kNone); }
  std::string words() const;     ///< "per parameter", "buckets of 10 MB"
  std::string untraced() const;  ///< Why nothing is told of its traced step.
  bool overlaps() const;         ///< Its all-reduces begin during backward.
  std::optional<double> step_ms() const;
  std::optional<double> exposed_ms() const;
  std::optional<double> hidden_share() const;
};

/// One network at one batch, context and precision.
struct Network {
  CellSpec spec;      ///< Without scheme and bucket.
  std::string words;  ///< "xl at context 512 in FP32"
  std::vector<Trained> schemes;
  /// Of all-reduces by themselves among as many ranks, where the run has them.
  std::optional<distributed_communication_single_node::Line> line = {};

  const Trained* find(Scheme scheme) const;
  /// One that has numbers, or null.
  const Trained* ran(Scheme scheme) const;
  std::vector<const Trained*> bucketed() const;
  std::vector<std::int64_t> gradients() const { return gradient_bytes(*spec.model); }
  double total_bytes() const;
  /// How much longer a scheme's step takes than the one without communication; its backward's,
  /// where all-reduces run beside it.
  std::optional<double> added_ms(const Trained& trained) const;
  std::optional<double> stretch(const Trained& trained) const;
  std::optional<BucketModel> model() const;
};

/// In plan order.
std::vector<Network> networks_of(const RunView& view);

/// "15.0 MB", "7.99 GB": of 10⁶ and 10⁹ bytes.
std::string megabytes(double bytes);
/// A cap in MB, which has no more digits than were chosen: "0.1", "1,000".
std::string cap_words(double bytes);

}  // namespace labreport::data_parallel
