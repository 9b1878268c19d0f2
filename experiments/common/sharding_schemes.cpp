#include "experiments/common/sharding_schemes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/common/timing.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::sharding {
namespace {

/// Converts a row; returns nothing if the row lacks a number.
std::optional<MemoryPoint> point_of(const MeasuredRow& row) {
  bool complete = true;
  const auto number = [&](std::string_view name) {
    const auto value = row.number(name);
    complete = complete && value;
    return value.value_or(0);
  };
  const MemoryPoint point{.rank = static_cast<std::int64_t>(number(column::kRank)),
                          .step = static_cast<std::int64_t>(number(column::kStepNumber)),
                          .name = row.text(column::kPoint),
                          .allocated = number(column::kAllocatedBytes),
                          .peak = number(column::kPeakBytes),
                          .parameters = number(column::kParameterBytes),
                          .gradients = number(column::kGradientBytes),
                          .optimizer = number(column::kOptimizerBytes)};
  return complete ? std::optional(point) : std::nullopt;
}

/// Keeps for each point the row of the rank with the highest peak. A point's rows are adjacent.
std::vector<Stage> stages_of(const Launch& launch) {
  std::vector<Stage> stages;
  for (const MeasuredRow& row : measured_rows(launch, metric::kHeld)) {
    const auto point = point_of(row);
    if (!point) continue;
    const bool same_point = !stages.empty() && stages.back().point.step == point->step &&
                            stages.back().point.name == point->name;
    if (!same_point) {
      const When when = point->step == 0   ? When::kBeforeSteps
                        : point->step == 1 ? When::kFirstStep
                                           : When::kLaterStep;
      stages.push_back({.when = when, .point = *point, .peak_so_far = 0});
    } else if (point->peak > stages.back().point.peak) {
      stages.back().point = *point;
    }
  }
  double peak_so_far = 0;
  for (Stage& stage : stages) {
    const bool begins_step =
        stage.when == When::kLaterStep && stage.point.name == metric::kBeforeOptimizer;
    peak_so_far = begins_step ? stage.point.peak : std::max(peak_so_far, stage.point.peak);
    stage.peak_so_far = peak_so_far;
  }
  return stages;
}

/// Returns the bytes of the largest tensor, or shard of one, that one rank's optimizer updates.
std::int64_t largest_tensor_bytes(const CellSpec& spec) {
  constexpr std::int64_t kFp32Bytes = 4;
  std::int64_t largest = 0;
  for (const ParameterSize& size : parameter_sizes(*spec.model)) {
    const bool is_sharded = spec.sharding == Sharding::kWeights && size.is_matrix;
    largest = std::max(largest, kFp32Bytes * size.elements / (is_sharded ? spec.ranks->count : 1));
  }
  return largest;
}

/// Calculates the stage's bytes on the rank that needs the most.
void add_expected_bytes(Stage& stage, const CellSpec& spec) {
  const HeldBytes held = held_bytes(spec);
  stage.expected_allocated = static_cast<double>(held.parameters);
  if (stage.when == When::kBeforeSteps) return;
  const bool in_optimizer = stage.point.name == metric::kAfterOptimizer;
  const std::int64_t moments = stage.when == When::kLaterStep || in_optimizer ? held.moments : 0;
  stage.expected_allocated += static_cast<double>(held.gradients + moments);
  // Activations depend only on the rank's part of the batch, as in a single process.
  for (ExpectedPeak peak : possible_peaks(as_single_process(spec))) {
    if ((peak.phase == metric::kOptimizer) != in_optimizer) continue;
    const double rank_share =
        static_cast<double>(held.parameters) / static_cast<double>(peak.parameters);
    peak.gradients = static_cast<std::int64_t>(rank_share * static_cast<double>(peak.gradients));
    peak.parameters = held.parameters;
    peak.moments = moments;
    // AdamW adds four tensors as large as the largest: a new moment and three temporaries.
    if (in_optimizer) peak.temporaries = 4 * largest_tensor_bytes(spec);
    // Autocast caches no copies of sharded weights, which are cast and freed explicitly.
    if (spec.sharding == Sharding::kWeights) peak.weight_copies = 0;
    if (!stage.expected_peak || peak.total() > stage.expected_peak->total())
      stage.expected_peak = peak;
  }
}

ShardingScheme scheme_of(const Cell& cell) {
  ShardingScheme scheme{&cell, reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return scheme;
  scheme.stages = stages_of(*launch);
  for (Stage& stage : scheme.stages) add_expected_bytes(stage, cell.spec);
  scheme.steps_ms = milliseconds(*launch, metric::kStep, metric::kTotal);
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward, metric::kAllReduce,
                           metric::kOptimizer, metric::kBroadcast}) {
    scheme.phases_ms[std::string(phase)] = milliseconds(*launch, metric::kSynced, phase);
  }
  scheme.losses = launch->numbers(metric::kLosses, metric::kTotal);
  return scheme;
}

std::optional<AveragedTraining> averaged_training(const RunView& view, const CellSpec& spec) {
  if (spec.ranks->collectives != Collectives::kNccl) return std::nullopt;
  for (const Cell* cell : view.cells(CellKind::kDataParallel)) {
    const Launch* launch = ok_launch(*cell);
    if (launch == nullptr || cell->spec.scheme != Scheme::kPerParameter) continue;
    if (!same_setting(cell->spec, spec) || cell->spec.ranks != spec.ranks) continue;
    const TimedLaunch timed{&cell->spec, launch};
    const auto steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
    const auto exchange_ms = timed.ms_after_warmup(metric::kEvent, metric::kExchange);
    if (steps_ms.empty() || exchange_ms.empty()) continue;
    return AveragedTraining{steps_ms, median(exchange_ms)};
  }
  return std::nullopt;
}

}  // namespace

double Stage::gradients_in_peak() const {
  return expected_peak ? static_cast<double>(expected_peak->gradients) : 0;
}

double Stage::rest_of_peak() const {
  return std::max(0.0, point.peak - point.parameters - point.optimizer - gradients_in_peak());
}

std::string Stage::when_words() const {
  if (when == When::kBeforeSteps) return "before any step";
  return when == When::kFirstStep ? "first step" : "later step";
}

std::string Stage::point_words() const {
  if (point.name == metric::kAfterModel) return "after model init";
  return point.name == metric::kBeforeOptimizer ? "before the optimizer step"
                                                : "after the optimizer step";
}

const Stage* ShardingScheme::stage(When when, std::string_view point) const {
  const auto found = std::ranges::find_if(
      stages, [&](const Stage& stage) { return stage.when == when && stage.point.name == point; });
  return found == stages.end() ? nullptr : &*found;
}

std::optional<double> ShardingScheme::phase_ms(std::string_view phase) const {
  const auto found = phases_ms.find(std::string(phase));
  if (found == phases_ms.end() || found->second.empty()) return std::nullopt;
  return median(found->second);
}

const ShardingScheme* TrainedNetwork::find(Sharding sharding) const {
  const auto found = std::ranges::find(schemes, sharding, &ShardingScheme::sharding);
  return found == schemes.end() ? nullptr : &*found;
}

const ShardingScheme* TrainedNetwork::labreports(Sharding sharding) const {
  const auto found = std::ranges::find_if(schemes, [&](const ShardingScheme& scheme) {
    return !scheme.is_users() && scheme.sharding() == sharding;
  });
  return found == schemes.end() ? nullptr : &*found;
}

std::string ShardingScheme::words() const {
  return is_users() ? name_without_digest(cell->spec.implementation)
                    : std::string(describe(sharding()));
}

namespace {

/// Returns all networks, the user's and labreport's each by itself.
std::vector<TrainedNetwork> all_networks(const RunView& view) {
  std::vector<TrainedNetwork> networks;
  for (const Cell* cell : view.cells(CellKind::kSharding)) {
    const auto known = std::ranges::find_if(networks, [&](const TrainedNetwork& network) {
      return same_setting(network.spec(), cell->spec) && network.spec().ranks == cell->spec.ranks;
    });
    TrainedNetwork& network = known == networks.end() ? networks.emplace_back() : *known;
    network.words = fmt::format("{} in {}", cell->spec.size, describe(*cell->spec.precision));
    network.averaged = averaged_training(view, cell->spec);
    network.schemes.push_back(scheme_of(*cell));
  }
  return networks;
}

}  // namespace

std::vector<TrainedNetwork> trained_networks(const RunView& view, Sharding required) {
  return only(all_networks(view), [&](const TrainedNetwork& network) {
    return network.labreports(Sharding::kNone) != nullptr && network.find(required) != nullptr;
  });
}

std::vector<TrainedNetwork> compared_networks(const RunView& view, Sharding required) {
  std::vector<TrainedNetwork> networks = trained_networks(view, required);
  for (const TrainedNetwork& users : all_networks(view)) {
    if (!users.schemes.front().is_users() || users.find(required) == nullptr) continue;
    CellSpec labreports = users.spec();
    labreports.implementation.clear();
    const auto same = std::ranges::find_if(networks, [&](const TrainedNetwork& network) {
      const CellSpec& spec = network.schemes.back().cell->spec;
      return same_setting(spec, labreports) && spec.ranks == labreports.ranks;
    });
    if (same == networks.end()) {
      networks.push_back(users);
    } else {
      same->schemes.insert(same->schemes.begin(), users.schemes.begin(), users.schemes.end());
    }
  }
  return networks;
}

}  // namespace labreport::sharding
