// Reads from a run how ranks that train together shard their tensors, and their memory over a step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/memory.h"
#include "plan/sharding.h"

namespace labreport::sharding {

/// One rank's bytes at one point of one step.
struct MemoryPoint {
  std::int64_t rank = 0, step = 0;
  std::string name;  ///< metric::kAfterModel, …
  double allocated = 0;
  double peak = 0;  ///< The highest allocated bytes since the point before.
  double parameters = 0, gradients = 0, optimizer = 0;
};

/// When a point was measured: after building the network, in the step that creates AdamW's state,
/// or in a step that begins with this state.
enum class When { kBeforeSteps, kFirstStep, kLaterStep };

/// One point of a step, on the rank whose peak is highest there.
struct Stage {
  When when;
  MemoryPoint point;
  /// The highest peak since the process began; in a later step, since that step began.
  double peak_so_far;
  double expected_allocated = 0;                   ///< At the point, on the rank with the most.
  std::optional<ExpectedPeak> expected_peak = {};  ///< Absent for building the network.

  /// Returns the gradients in the peak, by its formula: backward makes one by one.
  double gradients_in_peak() const;
  /// Returns what the peak holds beyond parameters, optimizer state and gradients: activations,
  /// temporaries and gathered weights.
  double rest_of_peak() const;
  std::string when_words() const;   ///< "first step"
  std::string point_words() const;  ///< "before the optimizer step"
};

/// The measurements with one choice of what is sharded.
struct ShardingScheme {
  const Cell* cell;
  std::string reason = {};  ///< Says why the scheme has no numbers; empty if it has them.
  std::vector<Stage> stages = {};
  std::vector<double> steps_ms = {};
  std::map<std::string, std::vector<double>> phases_ms = {};  ///< One time for each step.
  std::vector<double> losses = {};

  bool ran() const { return reason.empty(); }
  Sharding sharding() const { return *cell->spec.sharding; }
  std::string words() const;  ///< "optimizer state sharded"; the name of the user's part
  bool is_users() const { return joins_by_itself(cell->spec); }
  const Stage* stage(When when, std::string_view point) const;   ///< Null if it is missing.
  std::optional<double> phase_ms(std::string_view phase) const;  ///< Median ms.
};

/// The training of nothing sharded, except that NCCL averages gradients. Otherwise it sums them and
/// a pass of its own divides.
struct AveragedTraining {
  std::vector<double> steps_ms;
  double all_reduce_ms;  ///< The median.
};

/// One network at one batch, context, precision and number of ranks.
struct TrainedNetwork {
  std::string words;  ///< "xl in FP32"
  std::vector<ShardingScheme> schemes;
  /// Data_parallel's training with one all-reduce a parameter; nothing if not measured over NCCL.
  std::optional<AveragedTraining> averaged = {};

  /// Returns the user's scheme, or else labreport's; null if neither was planned.
  const ShardingScheme* find(Sharding sharding) const;
  const ShardingScheme* labreports(Sharding sharding) const;  ///< Null if not planned.
  const CellSpec& spec() const { return schemes.front().cell->spec; }
};

/// Returns labreport's networks whose schemes include `required` and that of nothing sharded, in
/// plan order.
std::vector<TrainedNetwork> trained_networks(const RunView& view, Sharding required);

/// Returns `trained_networks`, and those that only a part of the user's shards as `required`. The
/// user's scheme comes before labreport's of the same network.
std::vector<TrainedNetwork> compared_networks(const RunView& view, Sharding required);

}  // namespace labreport::sharding
