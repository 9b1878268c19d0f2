// Builds the facts behind section.md: what a sharded optimizer saves, costs and sends.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/command.h"
#include "experiments/optimizer_state_sharding_accounting/tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

constexpr const char* kProblem = "optimizer_state_sharding_accounting";
constexpr double kLossTolerance = 1e-6;  // the same operations, in the same order
constexpr double kAddsUp = 0.05;         // share of a difference of peaks that AdamW's state may
                                         // miss
constexpr double kExplains = 0.5;        // least share of a step's difference that explains it

/// One network, trained with its optimizer's state whole and sharded.
struct Both {
  const Trained* network;
  const ShardingScheme* plain;
  const ShardingScheme* sharded;
};

/// The largest network that ran both ways, in the first of its precisions.
std::optional<Both> foremost(const std::vector<Trained>& networks) {
  std::optional<Both> found;
  const auto size = [](const Trained& network) { return parameter_count(*network.spec().model); };
  for (const Trained& network : networks) {
    const Both both{&network, network.find(Sharding::kNone), network.find(Sharding::kOptimizer)};
    const bool ran = both.plain && both.sharded && both.plain->ran() && both.sharded->ran();
    if (ran && (!found || size(network) > size(*found->network))) found = both;
  }
  return found;
}

/// The difference of AdamW's state, if it accounts for that of both peaks of a later step and
/// parameters and gradients are the same.
std::optional<double> state_saved(const Both& both) {
  const Stage* after = both.plain->stage(When::kLaterStep, metric::kAfterOptimizer);
  const Stage* sharded = both.sharded->stage(When::kLaterStep, metric::kAfterOptimizer);
  const double saved = after->point.optimizer - sharded->point.optimizer;
  const bool whole = after->point.parameters == sharded->point.parameters &&
                     after->point.gradients == sharded->point.gradients;
  for (const auto point : {metric::kBeforeOptimizer, metric::kAfterOptimizer}) {
    const double lower = both.plain->stage(When::kLaterStep, point)->point.peak -
                         both.sharded->stage(When::kLaterStep, point)->point.peak;
    if (!whole || saved <= 0 || std::abs(lower - saved) > kAddsUp * saved) return std::nullopt;
  }
  return saved;
}

/// The peaks with and without sharding, model by model; absent if a peak is unknown.
std::optional<Facts> memory_facts(const Both& both) {
  Facts facts;
  std::vector<std::string> model;
  for (const ShardingScheme* scheme : {both.plain, both.sharded}) {
    const std::string sharded = scheme == both.sharded ? "_sharded" : "";
    const Stage* stages[]{scheme->stage(When::kModel, metric::kAfterModel),
                          scheme->stage(When::kLaterStep, metric::kBeforeOptimizer),
                          scheme->stage(When::kLaterStep, metric::kAfterOptimizer)};
    if (std::ranges::find(stages, nullptr) != std::end(stages)) return std::nullopt;
    model.push_back(format_bytes_briefly(stages[0]->point.peak));
    facts.set("before" + sharded, format_bytes_briefly(stages[1]->point.peak));
    facts.set("after" + sharded, format_bytes_briefly(stages[2]->point.peak));
  }
  const bool alike = model[0] == model[1];
  const auto saved = state_saved(both);
  return facts.set("network", both.network->words)
      .set("model", alike ? model[0] + " either way" : model[0] + " and " + model[1])
      .when("saved", saved.has_value(), "of", format_bytes_briefly(saved.value_or(0)));
}

/// The phases that sharding changes, if they account for the difference of the steps.
std::optional<Facts> phases(const Both& both, double longer) {
  const auto own = both.sharded->phase_ms(metric::kOptimizer);
  const auto whole = both.plain->phase_ms(metric::kOptimizer);
  const auto broadcast = both.sharded->phase_ms(metric::kBroadcast);
  if (!own || !whole || !broadcast) return std::nullopt;
  const double explained = (*broadcast + *own - *whole) / longer;
  if (explained < kExplains || explained > 1 / kExplains) return std::nullopt;
  return Facts()
      .set("broadcast", *broadcast, kThree)
      .set("own", *own, kThree)
      .set("whole", *whole, kThree);
}

std::optional<Facts> time_facts(const Both& both) {
  if (both.plain->steps_ms.empty() || both.sharded->steps_ms.empty()) return std::nullopt;
  const Summary plain = summarize(both.plain->steps_ms),
                sharded = summarize(both.sharded->steps_ms);
  const double longer = sharded.mean - plain.mean;
  const bool clear = std::abs(longer) > plain.stddev + sharded.stddev;
  const auto explained = clear ? phases(both, longer) : std::nullopt;
  return Facts()
      .set("network", both.network->words)
      .set("plain", plain.mean, kThree)
      .set("sharded", sharded.mean, kThree)
      .set("change", format_percent(std::abs(longer) / plain.mean))
      .flag("shorter", clear && longer < 0)
      .flag("longer", clear && longer > 0)
      .flag("alike", !clear)
      .when("explained", explained)
      .flag("unexplained", clear && !explained);
}

/// The largest network, whether it ran or not.
Facts sent_facts(const std::vector<Trained>& networks) {
  const Trained& network = *std::ranges::max_element(
      networks, {}, [](const Trained& one) { return parameter_count(*one.spec().model); });
  const CellSpec& spec = network.find(Sharding::kOptimizer)->cell->spec;
  return Facts()
      .set("network", network.words)
      .set("sent", format_bytes_briefly(sent_bytes(spec)))
      .set("zero", format_bytes_briefly(sent_by_zero1(spec)));
}

TableView commands(const RunView& view, const std::vector<Trained>& networks) {
  return command_table(view.run(), kProblem, {networks.front().schemes.front().cell});
}

std::vector<const Cell*> cells_of(const std::vector<Trained>& networks) {
  std::vector<const Cell*> cells;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) cells.push_back(scheme.cell);
  }
  return cells;
}

/// Builds the part whose answer has these facts.
PartContent part_of(const RunView& view, const std::vector<Trained>& networks,
                    std::optional<Facts> (*facts)(const Both&)) {
  const auto both = foremost(networks);
  const auto found = both ? facts(*both) : std::nullopt;
  PartContent part;
  part.facts.flag("nothing", !found);
  part.facts.when("one", found);
  set_conditions(part.facts, view, networks);
  part.cells = cells_of(networks);
  return part;
}

PartContent memory_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part = part_of(view, networks, memory_facts);
  part.datasets = {points_data(networks), stacks_data(networks)};
  part.details.tables = {commands(view, networks)};
  return part;
}

PartContent time_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part = part_of(view, networks, time_facts);
  set_apart(part.facts, networks, Sharding::kOptimizer, kLossTolerance);
  part.datasets = {times_data(networks)};
  return part;
}

PartContent zero_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  part.facts = sent_facts(networks);
  set_conditions(part.facts, view, networks);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  std::vector<Trained> networks = trained_networks(view, Sharding::kOptimizer);
  if (networks.empty()) return {};
  for (Trained& network : networks) {
    std::erase_if(network.schemes, [](const ShardingScheme& scheme) {
      return scheme.sharding() == Sharding::kWeights;  // belongs to fsdp_accounting
    });
  }
  return {{"a", memory_part(view, networks)},
          {"b", time_part(view, networks)},
          {"c", zero_part(view, networks)}};
}

}  // namespace labreport::optimizer_state_sharding_accounting
