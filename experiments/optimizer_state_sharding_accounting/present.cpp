// Builds the datasets and facts of section.md: what a sharded optimizer saves, costs and sends.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/command.h"
#include "experiments/optimizer_state_sharding_accounting/sharding_tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

constexpr const char* kProblem = "optimizer_state_sharding_accounting";
constexpr double kLossTolerance = 1e-6;  // relative; tight, as operations and order are the same
constexpr double kAddsUp = 0.05;         // |peaks' difference / state's difference − 1| at most
constexpr double kExplains = 0.5;        // phases' over steps' difference: this to its inverse

std::int64_t parameters(const TrainedNetwork& network) {
  return parameter_count(*network.spec().model);
}

/// One network, trained without sharding and with sharded optimizer state.
struct Pair {
  const TrainedNetwork* network;
  const ShardingScheme* plain;
  const ShardingScheme* sharded;
};

/// The largest network that ran both ways, in the first of its precisions.
std::optional<Pair> largest_pair(const std::vector<TrainedNetwork>& networks) {
  std::optional<Pair> largest;
  for (const TrainedNetwork& network : networks) {
    const Pair pair{&network, network.find(Sharding::kNone), network.find(Sharding::kOptimizer)};
    const bool ran = pair.plain && pair.sharded && pair.plain->ran() && pair.sharded->ran();
    if (ran && (!largest || parameters(network) > parameters(*largest->network))) largest = pair;
  }
  return largest;
}

/// The bytes of AdamW's state that sharding saves. Nothing unless these explain how much lower a
/// later step peaks, both before and in the optimizer step.
std::optional<double> state_saved(const Pair& pair) {
  const Stage* after = pair.plain->stage(When::kLaterStep, metric::kAfterOptimizer);
  const Stage* sharded = pair.sharded->stage(When::kLaterStep, metric::kAfterOptimizer);
  const double saved = after->point.optimizer - sharded->point.optimizer;
  const bool whole = after->point.parameters == sharded->point.parameters &&
                     after->point.gradients == sharded->point.gradients;
  for (const auto point : {metric::kBeforeOptimizer, metric::kAfterOptimizer}) {
    const double lower = pair.plain->stage(When::kLaterStep, point)->point.peak -
                         pair.sharded->stage(When::kLaterStep, point)->point.peak;
    if (!whole || saved <= 0 || std::abs(lower - saved) > kAddsUp * saved) return std::nullopt;
  }
  return saved;
}

/// The peaks with and without sharding; nothing if a peak is unknown.
std::optional<Facts> memory_facts(const Pair& pair) {
  Facts facts;
  std::vector<std::string> model;
  for (const ShardingScheme* scheme : {pair.plain, pair.sharded}) {
    const std::string sharded = scheme == pair.sharded ? "_sharded" : "";
    const Stage* stages[]{scheme->stage(When::kModel, metric::kAfterModel),
                          scheme->stage(When::kLaterStep, metric::kBeforeOptimizer),
                          scheme->stage(When::kLaterStep, metric::kAfterOptimizer)};
    if (std::ranges::find(stages, nullptr) != std::end(stages)) return std::nullopt;
    model.push_back(format_bytes_briefly(stages[0]->point.peak));
    facts.set("before" + sharded, format_bytes_briefly(stages[1]->point.peak));
    facts.set("after" + sharded, format_bytes_briefly(stages[2]->point.peak));
  }
  const bool alike = model[0] == model[1];
  const auto saved = state_saved(pair);
  return facts.set("network", pair.network->words)
      .set("model", alike ? model[0] + " either way" : model[0] + " and " + model[1])
      .when("saved", saved.has_value(), "of", format_bytes_briefly(saved.value_or(0)));
}

/// The times of the phases that sharding changes; nothing unless they explain `longer` (ms a step).
std::optional<Facts> phases(const Pair& pair, double longer) {
  const auto sharded = pair.sharded->phase_ms(metric::kOptimizer);
  const auto whole = pair.plain->phase_ms(metric::kOptimizer);
  const auto broadcast = pair.sharded->phase_ms(metric::kBroadcast);
  if (!sharded || !whole || !broadcast) return std::nullopt;
  const double explained = (*broadcast + *sharded - *whole) / longer;
  if (explained < kExplains || explained > 1 / kExplains) return std::nullopt;
  return Facts()
      .set("broadcast", *broadcast, kThree)
      .set("own", *sharded, kThree)
      .set("whole", *whole, kThree);
}

std::optional<Facts> time_facts(const Pair& pair) {
  if (pair.plain->steps_ms.empty() || pair.sharded->steps_ms.empty()) return std::nullopt;
  const Summary plain = summarize(pair.plain->steps_ms),
                sharded = summarize(pair.sharded->steps_ms);
  const double longer = sharded.mean - plain.mean;
  const bool clear = std::abs(longer) > plain.stddev + sharded.stddev;
  const auto explained = clear ? phases(pair, longer) : std::nullopt;
  return Facts()
      .set("network", pair.network->words)
      .set("plain", plain.mean, kThree)
      .set("sharded", sharded.mean, kThree)
      .set("change", format_percent(std::abs(longer) / plain.mean))
      .flag("shorter", clear && longer < 0)
      .flag("longer", clear && longer > 0)
      .flag("alike", !clear)
      .when("explained", explained)
      .flag("unexplained", clear && !explained);
}

/// Builds a part whose answer consists of `facts` of the largest network.
PartContent part_of(const RunView& view, const std::vector<TrainedNetwork>& networks,
                    std::optional<Facts> (*facts)(const Pair&)) {
  const auto pair = largest_pair(networks);
  const auto answer = pair ? facts(*pair) : std::nullopt;
  PartContent part;
  part.facts.flag("nothing", !answer).when("one", answer);
  set_conditions(part.facts, view, networks);
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) part.cells.push_back(scheme.cell);
  }
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  std::vector<TrainedNetwork> networks = trained_networks(view, Sharding::kOptimizer);
  if (networks.empty()) return {};
  for (TrainedNetwork& network : networks) {
    std::erase_if(network.schemes, [](const ShardingScheme& scheme) {
      return scheme.sharding() == Sharding::kWeights;  // belongs to fsdp_accounting
    });
  }
  PartContent memory = part_of(view, networks, memory_facts);
  memory.datasets = {points_data(networks), stacks_data(networks)};
  memory.details.tables = {
      command_table(view.run(), kProblem, {networks.front().schemes.front().cell})};

  PartContent time = part_of(view, networks, time_facts);
  list_diverging_losses(time.facts, networks, Sharding::kOptimizer, kLossTolerance);
  time.datasets = {times_data(networks)};

  PartContent sent;
  const TrainedNetwork& largest = *std::ranges::max_element(networks, {}, parameters);
  const CellSpec& spec = largest.find(Sharding::kOptimizer)->cell->spec;
  sent.facts.set("network", largest.words)
      .set("sent", format_bytes_briefly(sent_bytes_per_step(spec)))
      .set("zero", format_bytes_briefly(zero1_sent_bytes_per_step(spec)));
  set_conditions(sent.facts, view, networks);
  return {{"a", std::move(memory)}, {"b", std::move(time)}, {"c", std::move(sent)}};
}

}  // namespace labreport::optimizer_state_sharding_accounting
