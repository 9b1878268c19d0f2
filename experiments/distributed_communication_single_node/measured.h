// All-reduces as a run holds them: sizes, times, and the line through them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/collectives.h"

namespace labreport::distributed_communication_single_node {

/// One size by one method. A collective has ended when its slowest rank has: its median is the
/// time, which a call that waited for a busy core does not move; where calls run back to back,
/// their mean.
struct Timing {
  std::int64_t bytes = 0;
  std::int64_t calls = 0;
  double ns = 0;
  double fastest_ns = 0;                    ///< The same of the fastest rank.
  double mean_ns = 0;                       ///< Of the rank whose mean is largest …
  std::optional<double> deviation_ns = {};  ///< … and of its calls; of a mean alone none.
  double lag_ns = 0;       ///< How much later than the first rank the last one began; median.
  std::int64_t wrong = 0;  ///< Elements of any rank that are not the sum.
  /// It took longer than a larger size, by more than a tenth: nothing may rest on it.
  bool disturbed = false;

  double algbw() const { return static_cast<double>(bytes) / ns * 1e9; }  ///< B/s
};

/// T = α + S / β.
struct Line {
  double latency_ns = 0;        ///< α
  double bytes_per_second = 0;  ///< β, as algbw
  double largest_error = 0;     ///< The largest error of a size, as a share of its measured time.

  double ns(std::int64_t bytes) const {
    return latency_ns + static_cast<double>(bytes) / bytes_per_second * 1e9;
  }
};

/// By least absolute relative errors, so that short times count like long ones and a few odd ones
/// do not move it; disturbed sizes are left out. Nothing for fewer than three sizes, or where α or
/// β would not be above 0.
std::optional<Line> line_through(std::vector<Timing> timings);

/// One library with one number of ranks.
struct Group {
  const Cell* cell;
  std::string reason = {};  ///< Why it has no numbers; empty: it has.

  std::string library() const { return std::string(describe(cell->spec.ranks->collectives)); }
  std::int64_t ranks() const { return cell->spec.ranks->count; }
  std::string words() const;  ///< "NCCL, 2 ranks"
  double busbw(const Timing& timing) const { return timing.algbw() * bus_factor(ranks()); }

  std::vector<Timing> timings(std::string_view method) const;  ///< Smallest first.
  std::optional<Timing> synced(std::int64_t bytes) const;
  /// The same, unless it is disturbed.
  std::optional<Timing> undisturbed(std::int64_t bytes) const;
  /// By nccl-tests' method in place, where it was measured; else by the handout's.
  std::string_view swept_method() const;
  std::vector<Timing> swept() const { return timings(swept_method()); }
};

/// In plan order.
std::vector<Group> groups_of(const RunView& view);

}  // namespace labreport::distributed_communication_single_node
