// Builds the datasets and facts of section.md: what a sharded optimizer saves, costs and sends.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/code_name.h"
#include "experiments/common/command.h"
#include "experiments/common/sharding_tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

using sharding::ShardingScheme;
using sharding::Stage;
using sharding::TrainedNetwork;
using sharding::When;

constexpr const char* kProblem = "optimizer_state_sharding_accounting";
// Losses may differ by this share, which is small because operations and their order are the same.
constexpr double kLossTolerance = 1e-6;
// AdamW's state explains lower peaks that drop by the state's saved bytes, give or take this share.
constexpr double kStateTolerance = 0.05;
// A peak agrees with its formula up to this share.
constexpr double kPeakTolerance = 0.05;
// Phases explain a step's extra time if theirs is between half and twice that time.
constexpr double kMinExplained = 0.5;

std::int64_t parameters_of(const TrainedNetwork& network) {
  return parameter_count(*network.spec().model);
}

/// One network, trained without sharding and with optimizer state that the user's part shards, or
/// labreport if there is none.
struct SchemePair {
  const TrainedNetwork* network;
  const ShardingScheme* plain;
  const ShardingScheme* sharded;
};

/// Returns the largest network that ran both ways, in the first of its precisions.
std::optional<SchemePair> largest_pair(const std::vector<TrainedNetwork>& networks) {
  std::optional<SchemePair> largest;
  for (const TrainedNetwork& network : networks) {
    const SchemePair pair{&network, network.find(Sharding::kNone),
                          network.find(Sharding::kOptimizer)};
    const bool ran = pair.plain && pair.sharded && pair.plain->ran() && pair.sharded->ran();
    if (ran && (!largest || parameters_of(network) > parameters_of(*largest->network)))
      largest = pair;
  }
  return largest;
}

/// Tells how many bytes of AdamW's state sharding saves. Returns nothing unless these explain how
/// many bytes less are allocated after the optimizer step and how much lower a later step peaks,
/// both before and in the optimizer step. The allocator rounds up, so more bytes are saved in it.
std::optional<Facts> saved_state_facts(const SchemePair& pair) {
  const Stage* plain_after = pair.plain->stage(When::kLaterStep, metric::kAfterOptimizer);
  const Stage* sharded_after = pair.sharded->stage(When::kLaterStep, metric::kAfterOptimizer);
  const double saved = plain_after->point.optimizer - sharded_after->point.optimizer;
  const double saved_allocated = plain_after->point.allocated - sharded_after->point.allocated;
  const bool rest_is_equal = plain_after->point.parameters == sharded_after->point.parameters &&
                             plain_after->point.gradients == sharded_after->point.gradients;
  std::vector<double> drops{saved_allocated};
  for (const auto point : {metric::kBeforeOptimizer, metric::kAfterOptimizer}) {
    drops.push_back(pair.plain->stage(When::kLaterStep, point)->point.peak -
                    pair.sharded->stage(When::kLaterStep, point)->point.peak);
  }
  const bool is_explained = std::ranges::all_of(
      drops, [&](double drop) { return std::abs(drop - saved) <= kStateTolerance * saved; });
  if (!rest_is_equal || saved <= 0 || !is_explained) return std::nullopt;
  return Facts().set("saved_state", format_bytes_briefly(saved));
}

/// True if the peak before the optimizer step holds activations and hardly any gradients, which by
/// the formulas it does early in backward. Both peaks have to agree with their formulas.
bool peaks_before_gradients(const Stage& before, const Stage& after) {
  for (const Stage* stage : {&before, &after}) {
    const auto& expected = stage->expected_peak;
    if (!expected ||
        std::abs(stage->point.peak / static_cast<double>(expected->total()) - 1) > kPeakTolerance)
      return false;
  }
  return before.expected_peak->gradients < before.expected_peak->activations / 10;
}

/// Gives the peaks with and without sharding; nothing if a peak is unknown.
std::optional<Facts> memory_facts(const SchemePair& pair) {
  Facts facts;
  std::vector<std::string> model_peaks;
  bool activations_first = true;
  for (const ShardingScheme* scheme : {pair.plain, pair.sharded}) {
    const std::string suffix = scheme == pair.sharded ? "_sharded" : "";
    const Stage* stages[]{scheme->stage(When::kBeforeSteps, metric::kAfterModel),
                          scheme->stage(When::kLaterStep, metric::kBeforeOptimizer),
                          scheme->stage(When::kLaterStep, metric::kAfterOptimizer)};
    if (std::ranges::find(stages, nullptr) != std::end(stages)) return std::nullopt;
    model_peaks.push_back(format_bytes_briefly(stages[0]->point.peak));
    facts.set("before" + suffix, format_bytes_briefly(stages[1]->point.peak));
    facts.set("after" + suffix, format_bytes_briefly(stages[2]->point.peak));
    const double peak_bytes = std::max(stages[1]->point.peak, stages[2]->point.peak);
    facts.set("peak" + suffix, format_bytes_briefly(peak_bytes));
    activations_first = activations_first && peaks_before_gradients(*stages[1], *stages[2]);
  }
  const bool equal_model_peaks = model_peaks[0] == model_peaks[1];
  return facts.set("network", pair.network->words)
      .set("code", code_name(pair.sharded->cell->spec))
      .set("model", equal_model_peaks ? model_peaks[0] + " either way"
                                      : model_peaks[0] + " and " + model_peaks[1])
      .flag("activations_first", activations_first)
      .when("saves_state", saved_state_facts(pair));
}

/// Gives the times of the phases that sharding changes. Returns nothing unless they explain
/// `extra_ms`, by which a sharded step takes longer.
std::optional<Facts> phase_facts(const SchemePair& pair, double extra_ms) {
  const auto sharded = pair.sharded->phase_ms(metric::kOptimizer);
  const auto plain = pair.plain->phase_ms(metric::kOptimizer);
  const auto broadcast = pair.sharded->phase_ms(metric::kBroadcast);
  if (!sharded || !plain || !broadcast) return std::nullopt;
  const double explained = (*broadcast + *sharded - *plain) / extra_ms;
  if (explained < kMinExplained || explained > 1 / kMinExplained) return std::nullopt;
  return Facts()
      .set("broadcast", *broadcast, kThreeDigits)
      .set("own", *sharded, kThreeDigits)
      .set("whole", *plain, kThreeDigits);
}

std::optional<Facts> time_facts(const SchemePair& pair) {
  if (pair.plain->steps_ms.empty() || pair.sharded->steps_ms.empty()) return std::nullopt;
  const Summary plain = summarize(pair.plain->steps_ms),
                sharded = summarize(pair.sharded->steps_ms);
  const double extra_ms = sharded.mean - plain.mean;
  const bool is_clear = std::abs(extra_ms) > plain.stddev + sharded.stddev;
  return Facts()
      .set("network", pair.network->words)
      .set("code", code_name(pair.sharded->cell->spec))
      .set("plain", plain.mean, kThreeDigits)
      .set("sharded", sharded.mean, kThreeDigits)
      .flag("alike", !is_clear)
      .when("explained", is_clear ? phase_facts(pair, extra_ms) : std::nullopt);
}

/// Builds a part whose answer is `answer_of` the largest network.
PartContent part_about_largest(const RunView& view, const std::vector<TrainedNetwork>& networks,
                               std::optional<Facts> (*answer_of)(const SchemePair&)) {
  const auto pair = largest_pair(networks);
  const auto answer = pair ? answer_of(*pair) : std::nullopt;
  PartContent part;
  part.set_answer(answer);
  set_conditions(part.facts, view, networks);
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) part.cells.push_back(scheme.cell);
  }
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  std::vector<TrainedNetwork> networks = sharding::compared_networks(view, Sharding::kOptimizer);
  if (networks.empty()) return {};
  for (TrainedNetwork& network : networks) {
    std::erase_if(network.schemes, [](const ShardingScheme& scheme) {
      return scheme.sharding() == Sharding::kWeights;  // FSDP belongs to fsdp_accounting.
    });
  }
  PartContent memory = part_about_largest(view, networks, memory_facts);
  memory.datasets = {points_data(networks),
                     stacks_data(networks, sharding::StackedPeaks::kAroundOptimizer)};
  memory.details.tables = {
      command_table(view.run(), kProblem, {networks.front().schemes.front().cell})};

  PartContent time = part_about_largest(view, networks, time_facts);
  list_diverging_losses(time.facts, networks, Sharding::kOptimizer, kLossTolerance);
  time.datasets = {times_data(networks)};

  PartContent traffic;
  const TrainedNetwork& largest = *std::ranges::max_element(networks, {}, parameters_of);
  const ShardingScheme& sharded = *largest.find(Sharding::kOptimizer);
  const CellSpec& spec = sharded.cell->spec;
  traffic.has_numbers = !sharded.is_users();  // their design is the author's to describe
  traffic.facts.set("network", largest.words)
      .set("code", code_name(spec))
      .set("sent", format_bytes_briefly(sent_bytes_per_step(spec)))
      .set("zero", format_bytes_briefly(zero1_sent_bytes_per_step(spec)));
  set_conditions(traffic.facts, view, networks);
  return {{"a", std::move(memory)}, {"b", std::move(time)}, {"c", std::move(traffic)}};
}

}  // namespace labreport::optimizer_state_sharding_accounting
