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

/// One size by one method. A collective ends when its slowest rank does. Its time is the median,
/// which is robust against calls that waited for a busy core, or the mean of calls back to back.
struct Timing {
  std::int64_t bytes = 0;
  std::int64_t calls = 0;
  double ns = 0;
  double fastest_ns = 0;                    ///< The fastest rank's time.
  double mean_ns = 0;                       ///< The largest mean of a rank.
  std::optional<double> deviation_ns = {};  ///< That rank's deviation, unless only a mean exists.
  double lag_ns = 0;                        ///< Median delay of the last rank to begin.
  std::int64_t wrong = 0;                   ///< Elements that are not the sum, on any rank.
  /// True if the size took longer than a larger one by more than a tenth; it is then left out of
  /// conclusions.
  bool disturbed = false;

  double algbw() const { return static_cast<double>(bytes) / ns * 1e9; }  ///< B/s
};

/// T = α + S / β.
struct Line {
  double latency_ns = 0;        ///< α
  double bytes_per_second = 0;  ///< β, an algorithm bandwidth
  double largest_error = 0;     ///< The largest error of a size, as a share of its measured time.

  double ns(std::int64_t bytes) const {
    return latency_ns + static_cast<double>(bytes) / bytes_per_second * 1e9;
  }
};

/// Fits the line by least absolute relative errors, so that short times count like long ones and a
/// few outliers do not move it; disturbed sizes are left out. Returns nothing for fewer than three
/// sizes, or if α or β would not be above 0.
std::optional<Line> line_through(std::vector<Timing> timings);

/// One library with one number of ranks.
struct Group {
  const Cell* cell;
  std::string reason = {};  ///< Why it has no numbers; empty if it has.

  std::string library() const { return std::string(describe(collectives())); }
  Collectives collectives() const { return cell->spec.ranks->collectives; }
  std::int64_t ranks() const { return cell->spec.ranks->count; }
  std::string words() const;  ///< "NCCL, 2 ranks"
  double busbw(const Timing& timing) const { return timing.algbw() * bus_factor(ranks()); }

  std::vector<Timing> timings(std::string_view method) const;  ///< Smallest first.
  std::optional<Timing> synced(std::int64_t bytes) const;
  /// Returns `synced`, or nothing if it is disturbed.
  std::optional<Timing> undisturbed(std::int64_t bytes) const;
  /// The method of nccl-tests in place if it was measured, else the handout's.
  std::string_view swept_method() const;
  std::vector<Timing> swept() const { return timings(swept_method()); }
};

/// Groups are in plan order.
std::vector<Group> groups_of(const RunView& view);

/// A text that the launch recorded about its communication library; empty if absent.
std::string collectives_condition(const Launch& launch, std::string_view name);

}  // namespace labreport::distributed_communication_single_node
