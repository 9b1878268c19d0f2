// Reads ranks that train together from a run: what is sharded, and the memory at each point.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/sharding.h"

namespace labreport::optimizer_state_sharding_accounting {

/// One rank's memory at one point of one step; bytes.
struct Point {
  std::int64_t rank = 0, step = 0;
  std::string name;  ///< metric::kAfterModel, …
  double allocated = 0, peak = 0;
  double parameters = 0, gradients = 0, optimizer = 0;

  double known() const { return parameters + gradients + optimizer; }
};

/// The step of a point: none yet, the one that creates AdamW's state, or one that begins with it.
enum class When { kModel, kFirstStep, kLaterStep };

/// One point of a step, on the rank whose peak is highest there.
struct Stage {
  When when;
  Point point;
  double high_water;  ///< The highest peak since the process, or the later step, began.

  std::string when_words() const;   ///< "first step"
  std::string point_words() const;  ///< "before the optimizer step"
};

/// One choice of what is sharded.
struct ShardingScheme {
  const Cell* cell;
  std::string reason = {};  ///< Why it has no numbers; empty if it has.
  std::vector<Stage> stages = {};
  std::vector<double> steps_ms = {};
  std::map<std::string, std::vector<double>> phases_ms = {};
  std::vector<double> losses = {};

  bool ran() const { return reason.empty(); }
  Sharding sharding() const { return *cell->spec.sharding; }
  std::string words() const { return std::string(describe(sharding())); }
  const Stage* stage(When when, std::string_view point) const;   ///< Null if it is missing.
  std::optional<double> phase_ms(std::string_view phase) const;  ///< The median.

  /// Calculated bytes of the rank that needs most: allocated at the point, and the peak since the
  /// previous point. There is no calculated peak for building the network.
  double expected_allocated(const Stage& stage) const;
  std::optional<double> expected_peak(const Stage& stage) const;
};

/// One network at one batch, context and precision, among as many ranks.
struct TrainedNetwork {
  std::string words;  ///< "xl in FP32"
  std::vector<ShardingScheme> schemes;

  const ShardingScheme* find(Sharding sharding) const;  ///< Null if not planned.
  const CellSpec& spec() const { return schemes.front().cell->spec; }
};

/// Networks that have `required` among their schemes, in plan order.
std::vector<TrainedNetwork> trained_networks(const RunView& view, Sharding required);

}  // namespace labreport::optimizer_state_sharding_accounting
