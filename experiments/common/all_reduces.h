// Reads all-reduces from a run: sizes, times, and the line through them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/collectives.h"

namespace labreport {

/// All-reduces of one size, timed by one method. A rank's time is the median if each call is timed,
/// because a busy core may delay a few calls, or else the mean of calls back to back.
struct AllReduceTiming {
  std::int64_t bytes = 0;
  std::int64_t calls = 0;
  double slowest_ns = 0;                    ///< The slowest rank's time of a call.
  double fastest_ns = 0;                    ///< The fastest rank's time of a call.
  double mean_ns = 0;                       ///< The largest mean of a rank.
  std::optional<double> deviation_ns = {};  ///< The deviation on the rank of `mean_ns`, if known.
  double start_lag_ns = 0;          ///< Median time from the first rank's start to the last rank's.
  std::int64_t wrong_elements = 0;  ///< Counted in the results of all ranks.
  /// True if it took over 1.1 times as long as a larger size. No answer uses it.
  bool disturbed = false;

  /// The algorithm bandwidth of nccl-tests, in bytes a second.
  double algbw() const { return static_cast<double>(bytes) / slowest_ns * 1e9; }
};

/// The line T = α + S/β for an all-reduce of S bytes.
struct FittedLine {
  double latency_ns = 0;              ///< α
  double bytes_per_second = 0;        ///< β, an algorithm bandwidth
  double largest_relative_error = 0;  ///< The largest |line − measured| / measured of a size.

  double predicted_ns(std::int64_t bytes) const {
    return latency_ns + static_cast<double>(bytes) / bytes_per_second * 1e9;
  }
};

/// Fits the line that minimizes the sum of |relative errors|, so that short times count like long
/// ones and a few disturbed ones do not move it. Returns nothing for fewer than three sizes, or if
/// α or β would not be positive.
std::optional<FittedLine> line_through(const std::vector<AllReduceTiming>& timings);

/// The measured all-reduces of one library among one number of ranks.
struct AllReduceGroup {
  const Cell* cell;
  std::string reason = {};  ///< Why the group has no numbers; empty if it has.

  std::string library() const { return std::string(describe(collectives())); }
  Collectives collectives() const { return cell->spec.ranks->collectives; }
  std::int64_t ranks() const { return cell->spec.ranks->count; }
  std::string words() const;  ///< "NCCL, 2 ranks"
  /// The bus bandwidth of nccl-tests, in bytes a second.
  double busbw(const AllReduceTiming& timing) const { return timing.algbw() * bus_factor(ranks()); }

  std::vector<AllReduceTiming> timings(std::string_view method) const;  ///< Smallest size first.
  /// True if bandwidth sets the time of this size: on the fitted line, its bytes take at least
  /// twice as long as the latency.
  bool is_bandwidth_bound(std::int64_t bytes) const;
  /// Returns the timing of a size unless something disturbed it or its sum was wrong.
  std::optional<AllReduceTiming> usable_timing(std::string_view method, std::int64_t bytes) const;
  /// Returns the method that lines are fitted to: nccl-tests' in place if it was measured, else the
  /// handout's.
  std::string_view fitted_method() const;
  std::vector<AllReduceTiming> fitted_timings() const { return timings(fitted_method()); }
};

/// Returns groups in plan order.
std::vector<AllReduceGroup> all_reduce_groups(const RunView& view);

/// Returns the text `name` that the launch recorded about its communication library, or "".
std::string library_text(const Launch& launch, std::string_view name);

}  // namespace labreport
