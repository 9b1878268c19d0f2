// Reads from a run the steps of ranks that train together: what is sharded, and memory over a step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"
#include "plan/sharding.h"

namespace labreport::optimizer_state_sharding_accounting {

/// One rank's bytes at one point of one step; `peak` is since the point before.
struct Point {
  std::int64_t rank = 0, step = 0;
  std::string name;  ///< metric::kAfterModel, …
  double allocated = 0, peak = 0;
  double parameters = 0, gradients = 0, optimizer = 0;

  double known() const { return parameters + gradients + optimizer; }
};

/// When a point was measured: after building the network, in the step that creates AdamW's state,
/// or in a step that begins with this state.
enum class When { kModel, kFirstStep, kLaterStep };

/// One point of a step, on the rank whose peak is highest there.
struct Stage {
  When when;
  Point point;
  double high_water;  ///< The highest peak since the process (kLaterStep: the step) began.

  std::string when_words() const;   ///< "first step"
  std::string point_words() const;  ///< "before the optimizer step"
};

/// The measurements with one choice of what is sharded.
struct ShardingScheme {
  const Cell* cell;
  std::string reason = {};  ///< Why the scheme has no numbers; empty if it has.
  std::vector<Stage> stages = {};
  std::vector<double> steps_ms = {};
  std::map<std::string, std::vector<double>> phases_ms = {};
  std::vector<double> losses = {};

  bool ran() const { return reason.empty(); }
  Sharding sharding() const { return *cell->spec.sharding; }
  std::string words() const { return std::string(describe(sharding())); }
  const Stage* stage(When when, std::string_view point) const;   ///< Null if it is missing.
  std::optional<double> phase_ms(std::string_view phase) const;  ///< Median ms.

  /// Calculated bytes of the rank that needs the most: allocated at the stage's point, and the peak
  /// since the point before; no peak for building the network.
  double expected_allocated(const Stage& stage) const;
  std::optional<double> expected_peak(const Stage& stage) const;
};

/// One network at one batch, context, precision and number of ranks.
struct TrainedNetwork {
  std::string words;  ///< "xl in FP32"
  std::vector<ShardingScheme> schemes;

  const ShardingScheme* find(Sharding sharding) const;  ///< Null if not planned.
  const CellSpec& spec() const { return schemes.front().cell->spec; }
};

/// Returns the networks whose schemes include `required`, in plan order.
std::vector<TrainedNetwork> trained_networks(const RunView& view, Sharding required);

}  // namespace labreport::optimizer_state_sharding_accounting
