// Reads data-parallel training steps from a run, by network and scheme.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/contention.h"
#include "document/value.h"
#include "document/view.h"
#include "experiments/common/all_reduces.h"
#include "plan/gradients.h"
#include "results/measured_table.h"

namespace labreport::data_parallel {

/// The measured steps of one scheme. A step ends when the slowest rank has finished it. Schemes are
/// compared by the slowest rank's times, because ranks that communicate wait for it.
struct SchemeResult {
  const Cell* cell;
  std::string reason;                      ///< Why the scheme has no numbers; empty if it has.
  std::vector<double> steps_ms = {};       ///< One for each step after the warm-up.
  std::optional<double> rank0_ms = {};     ///< Rank 0's mean step.
  std::optional<double> backward_ms = {};  ///< The slowest rank's median.
  std::optional<double> exchange_ms = {};  ///< Rank 0's median from last gradient to optimizer.
  double all_reduce_count = 0;   ///< In one step; calculated if the run did not count them.
  std::string collectives = {};  ///< "1 all-reduce", "4 all-gathers and 4 all-reduces"; "none"
  /// The traced step's time in all-reduces: rank 0's if they overlap backward, or else that of
  /// the rank that waits least in them.
  std::optional<double> communication_ms = {};
  std::optional<double> overlap_ms = {};  ///< How much of `communication_ms` computation overlaps.
  /// The traced step's time on rank 0 in computation between the last gradient and the optimizer,
  /// which is copying.
  std::optional<double> copies_ms = {};
  /// The traced step's time / the mean timed step's. It is set only if the ratio is so high that
  /// the trace is not used.
  std::optional<double> traced_slowdown = {};
  std::optional<double> peak_bytes = {};  ///< The most bytes allocated on rank 0.
  bool ranks_differ = false;              ///< Ranks hold different weights after the last step.
  /// The largest difference of a gradient or weight from training in one process, relative to the
  /// largest value of its tensor.
  std::optional<double> largest_relative_error = {};

  Scheme scheme() const { return cell->spec.scheme.value_or(Scheme::kNone); }
  std::string words() const;  ///< "per parameter", "buckets of 10 MB", "make_step"
  bool overlaps() const;      ///< True if its all-reduces begin during backward.
  /// False for a step of the user's on a CPU, whose phases also wait for collectives.
  bool tells_overlap() const;
  Value step_or_reason() const;  ///< Mean and deviation in ms, or why they are missing.
  /// Returns `value`, or why the scheme has no numbers.
  Value value_or_reason(const std::optional<double>& value) const;
  /// Returns `value`, a number from the trace, or why the scheme has no numbers. The row's flags
  /// tell why a trace is not used.
  Value traced_value_or_reason(const std::optional<double>& value) const;
  /// Returns remarks on the row: a loss that is not finite, and why the trace is not used.
  std::vector<std::string> flags() const;
  std::optional<double> step_ms() const;              ///< `typical_time` of `steps_ms`.
  std::optional<double> exposed_ms() const;           ///< `communication_ms` − `overlap_ms`
  std::optional<double> overlapped_fraction() const;  ///< `overlap_ms` / `communication_ms`
};

/// One network at one batch, context and precision, with the steps of its schemes.
struct MeasuredNetwork {
  CellSpec spec;      ///< `scheme` and `bucket_bytes` are not set.
  std::string words;  ///< "xl at context 512 in FP32"; "labreport's xl …" beside the user's
  /// A container of the user's trains labreport's network, and comes before labreport's schemes.
  std::vector<SchemeResult> schemes;
  /// The line fitted to all-reduces that the run timed without training, on the ranks of `spec`.
  std::optional<FittedLine> all_reduce_line = {};

  /// True if the user's code makes the whole step, with a network of its own.
  bool is_of_own_step() const { return !spec.implementation.empty(); }
  /// Returns null if the scheme was not planned.
  const SchemeResult* find(Scheme scheme) const;
  /// Returns null if the scheme was not planned or has no times.
  const SchemeResult* find_timed(Scheme scheme) const;
  std::vector<std::int64_t> bytes_of_each_gradient() const { return gradient_bytes(*spec.model); }
  double total_gradient_bytes() const;
  /// Returns the mean step minus that without communication; nothing if one is unknown.
  std::optional<double> added_ms(const SchemeResult& result) const;
  /// Returns backward's time − its time without communication; nothing if one is unknown or the
  /// scheme's all-reduces do not overlap backward.
  std::optional<double> longer_backward_ms(const SchemeResult& result) const;
  /// Returns `longer_backward_ms` if backward grows by about as much as the step.
  std::optional<double> added_in_backward_ms(const SchemeResult& result) const;
  /// Returns the least time by which computation beside all-reduces takes longer:
  /// `added_in_backward_ms`, at most `added_ms`, − `exposed_ms`. Returns nothing if that is none of
  /// the time, or more than all-reduces run beside computation.
  std::optional<double> least_contention_ms(const SchemeResult& result) const;
  /// Returns by how much kernels beside the scheme's all-reduces take longer than without them;
  /// nothing if the traces do not tell.
  std::optional<Contention> traced_contention(const SchemeResult& result) const;
  /// Returns `longer_backward_ms` as a share of backward's time without communication.
  std::optional<double> backward_stretch(const SchemeResult& result) const;
  /// Takes α and β from `all_reduce_line`; returns nothing if there is no line.
  std::optional<BucketFormula> bucket_formula() const;
};

using MeasuredNetworks = std::vector<MeasuredNetwork>;

/// Returns a column of ns in ms; nothing if the row lacks it.
std::optional<double> milliseconds_in(const MeasuredRow& row, std::string_view name);

/// Returns whether `part_ms` is 0.7 to 1/0.7 times `difference_ms`, so that it explains it.
bool explains(double part_ms, double difference_ms);

/// Returns networks in plan order.
MeasuredNetworks measured_networks(const RunView& view);

/// Returns the networks of labreport's schemes. Of the user's containers they keep those that take
/// the cap of a bucket, or those that take none.
MeasuredNetworks beside_containers(const MeasuredNetworks& networks, bool takes_caps);

/// Writes a cap, the most bytes that a bucket of several gradients holds, in MB (10⁶ bytes), with
/// the fewest digits: "0.1", "1,000".
std::string cap_words(double cap_bytes);

}  // namespace labreport::data_parallel
