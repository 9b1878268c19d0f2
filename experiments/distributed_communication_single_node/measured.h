// Reads all-reduces from a run: sizes, times, and the line through them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/collectives.h"

namespace labreport::distributed_communication_single_node {

/// All-reduces of one size, timed by one method. `ns` is the slowest rank's time: the median if
/// each call is timed, which a few calls delayed by a busy core do not move, or the mean of calls
/// back to back.
struct Timing {
  std::int64_t bytes = 0;
  std::int64_t calls = 0;
  double ns = 0;
  double fastest_ns = 0;                    ///< The fastest rank's time for a call.
  double mean_ns = 0;                       ///< The mean of the rank whose mean is largest.
  std::optional<double> deviation_ns = {};  ///< The same rank's; empty if only means exist.
  double lag_ns = 0;       ///< Median time from the first rank's start to the last's.
  std::int64_t wrong = 0;  ///< Wrong elements of the result, all ranks.
  /// True if this took more than 1.1 times as long as a larger size; conclusions leave it out.
  bool disturbed = false;

  double algbw() const { return static_cast<double>(bytes) / ns * 1e9; }  ///< bytes / second
};

/// T = α + S / β.
struct Line {
  double latency_ns = 0;        ///< α
  double bytes_per_second = 0;  ///< β, an algorithm bandwidth
  double largest_error = 0;     ///< The largest |line − measured| / measured of a size.

  double ns(std::int64_t bytes) const {
    return latency_ns + static_cast<double>(bytes) / bytes_per_second * 1e9;
  }
};

/// Fits the line that minimizes the sum of |relative errors|, so that short times count like long
/// ones and a few outliers do not move it. Disturbed sizes are ignored. Returns nothing if fewer
/// than three others remain, or if α or β would not be positive.
std::optional<Line> line_through(std::vector<Timing> timings);

/// All-reduces over one library among one number of ranks.
struct Group {
  const Cell* cell;
  std::string reason = {};  ///< Why the group has no numbers; empty if it has.

  std::string library() const { return std::string(describe(collectives())); }
  Collectives collectives() const { return cell->spec.ranks->collectives; }
  std::int64_t ranks() const { return cell->spec.ranks->count; }
  std::string words() const;  ///< "NCCL, 2 ranks"
  double busbw(const Timing& timing) const { return timing.algbw() * bus_factor(ranks()); }

  std::vector<Timing> timings(std::string_view method) const;  ///< Smallest size first.
  std::optional<Timing> synced(std::int64_t bytes) const;      ///< By the handout's method.
  /// Like `synced`, but nothing if the timing is disturbed.
  std::optional<Timing> undisturbed(std::int64_t bytes) const;
  /// The in-place method of nccl-tests if it was measured, else the handout's method.
  std::string_view swept_method() const;
  std::vector<Timing> swept() const { return timings(swept_method()); }
};

/// Returns groups in plan order.
std::vector<Group> groups_of(const RunView& view);

/// A text that the launch recorded about its communication library; empty if absent.
std::string collectives_condition(const Launch& launch, std::string_view name);

}  // namespace labreport::distributed_communication_single_node
