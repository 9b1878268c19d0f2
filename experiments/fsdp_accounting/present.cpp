// Builds the datasets and facts of section.md: what sharded weights save, and whether they arrive
// in time.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/optimizer_state_sharding_accounting/sharding_tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::fsdp_accounting {
namespace {

using optimizer_state_sharding_accounting::kThree;
using optimizer_state_sharding_accounting::ShardingScheme;
using optimizer_state_sharding_accounting::Stage;
using optimizer_state_sharding_accounting::TrainedNetwork;
using optimizer_state_sharding_accounting::When;

constexpr const char* kProblem = "fsdp_accounting";
// The gradients explain a missing saving if the sum is this close to the expected one, as a share.
constexpr double kSavingTolerance = 0.05;
// The largest relative differences of losses from rounding; the second is for 16-bit gradients.
constexpr double kFullTolerance = 1e-6, kHalfTolerance = 1e-2;

/// The peak, in bytes, of a step after the first; nothing if it was not measured.
std::optional<double> step_peak(const ShardingScheme& scheme) {
  const Stage* before = scheme.stage(When::kLaterStep, metric::kBeforeOptimizer);
  const Stage* after = scheme.stage(When::kLaterStep, metric::kAfterOptimizer);
  return before && after ? std::optional(after->peak_so_far) : std::nullopt;
}

/// True if the step peaks before the optimizer step, not in it.
bool peaks_in_passes(const ShardingScheme& scheme) {
  return scheme.stage(When::kLaterStep, metric::kBeforeOptimizer)->point.peak == step_peak(scheme);
}

double held_total(const ShardingScheme& scheme) {
  return static_cast<double>(held_bytes(scheme.cell->spec).total());
}

/// The largest network that ran with sharded weights (if none did: of all), in its first precision.
const TrainedNetwork& answered_network(const std::vector<TrainedNetwork>& networks) {
  const auto rank = [](const TrainedNetwork& network) {
    return std::pair(network.find(Sharding::kWeights)->ran(),
                     parameter_count(*network.spec().model));
  };
  return *std::ranges::max_element(networks, {}, rank);
}

/// The measured peaks. The fact `early` holds if both steps peak before the optimizer step and the
/// saving lacks just that of the gradients, which did not exist yet at the peak.
std::optional<Facts> peaks(const ShardingScheme& other, const ShardingScheme& sharded,
                           double expected) {
  const auto before = step_peak(other), after = step_peak(sharded);
  if (!before || !after) return std::nullopt;
  const double saved = *before - *after;
  const double gradients = static_cast<double>(held_bytes(other.cell->spec).gradients -
                                               held_bytes(sharded.cell->spec).gradients);
  const bool early = peaks_in_passes(other) && peaks_in_passes(sharded) &&
                     std::abs(expected - saved - gradients) <= kSavingTolerance * expected;
  return Facts()
      .set("before", format_bytes_briefly(*before))
      .set("after", format_bytes_briefly(*after))
      .set("saved", format_bytes_briefly(std::abs(saved)))
      .flag("lower", saved > 0)
      .flag("higher", saved <= 0)
      .when("early", early, "gradients", format_bytes_briefly(gradients));
}

struct GatherRow {
  std::string network;
  BlockGather gather;
};

const std::vector<Column<GatherRow>> kGathers{
    {"series", "Network and pass",
     [](const GatherRow& row) { return row.network + ", " + row.gather.pass; }},
    {"network", "Network", &GatherRow::network},
    {"block", "Weights of", [](const GatherRow& row) { return row.gather.block; }},
    {"number",
     "Block",
     [](const GatherRow& row) { return Value(row.gather.number()); },
     "",
     {Notation::kCount}},
    {"pass", "Pass", [](const GatherRow& row) { return row.gather.pass; }},
    {"bytes",
     "Gathered",
     [](const GatherRow& row) { return row.gather.bytes; },
     "MiB",
     {Notation::kMebibytes}},
    {"alone",
     "Gathers alone",
     [](const GatherRow& row) { return row.gather.alone_ms; },
     "ms",
     {Notation::kSignificant, 3}},
    {"wait",
     "Waited",
     [](const GatherRow& row) { return row.gather.wait_ms; },
     "ms",
     {Notation::kSignificant, 3}},
    {"share",
     "Waited over alone",
     [](const GatherRow& row) {
       return row.gather.alone_ms > 0 ? Value(row.gather.wait_ms / row.gather.alone_ms) : Value();
     },
     "%",
     {Notation::kPercent}},
    {"layers",
     "Matrices",
     [](const GatherRow& row) { return row.gather.layers; },
     "",
     {Notation::kCount}},
    {"in_time",
     "In time",
     [](const GatherRow& row) { return row.gather.in_time; },
     "",
     {Notation::kCount}}};

/// Counts the blocks' matrices that had been gathered when the forward pass needed them.
std::optional<Facts> in_time_facts(const TrainedNetwork& network) {
  const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
  const auto all =
      launch == nullptr ? std::nullopt : all_blocks(block_gathers(*launch), metric::kForward);
  if (!all || all->alone_ms <= 0) return std::nullopt;
  const ShardingScheme* plain = network.find(Sharding::kNone);
  const double compute = plain == nullptr ? 0 : plain->phase_ms(metric::kForward).value_or(0);
  const auto blocks = static_cast<double>(network.spec().model->layers);
  const Facts compute_facts = Facts().set("ms", compute / blocks, kThree);
  const auto late = late_matrices(*launch, metric::kForward);
  const bool punctual = all->in_time == all->layers;
  return Facts()
      .set("network", network.words)
      .set("in_time", format_count(all->in_time))
      .set("layers", format_count(all->layers))
      .flag("all", punctual)
      .flag("some", !punctual && all->in_time > 0)
      .flag("none", all->in_time == 0)
      .when("late", !punctual && !late.empty() && all->in_time > 0, "matrices", join_words(late))
      .set("alone", all->alone_ms / blocks, kThree)
      .set("wait", all->wait_ms / blocks, kThree)
      .when("computes", compute > 0 && punctual, compute_facts)
      .when("although", compute > all->alone_ms && !punctual, compute_facts)
      .when("hardly_computes", compute > 0 && compute <= all->alone_ms && !punctual, compute_facts);
}

PartContent memory_part(const RunView& view, const std::vector<TrainedNetwork>& networks) {
  const TrainedNetwork& network = answered_network(networks);
  const ShardingScheme& sharded = *network.find(Sharding::kWeights);
  const ShardingScheme* optimizer = network.find(Sharding::kOptimizer);
  const ShardingScheme* other = optimizer ? optimizer : network.find(Sharding::kNone);
  std::optional<Facts> saving;
  if (other != nullptr) {
    const double expected = held_total(*other) - held_total(sharded);
    saving = Facts()
                 .set("expected", format_bytes_briefly(expected))
                 .when("peaks", peaks(*other, sharded, expected));
  }
  PartContent part;
  part.facts.set("network", network.words)
      .flag("optimizer", optimizer != nullptr)
      .when("saving", saving);
  set_conditions(part.facts, view, networks);
  optimizer_state_sharding_accounting::list_diverging_losses(
      part.facts, networks, Sharding::kWeights, kFullTolerance, kHalfTolerance);
  part.datasets = {points_data(networks), stacks_data(networks)};
  part.details.tables = {
      command_table(view.run(), kProblem, {networks.front().schemes.front().cell})};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

PartContent gathers_part(const RunView& view, const std::vector<TrainedNetwork>& networks) {
  std::vector<GatherRow> rows;
  for (const TrainedNetwork& network : networks) {
    const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
    if (launch == nullptr) continue;
    for (const BlockGather& gather : block_gathers(*launch)) {
      rows.push_back({network.words, gather});
    }
  }
  PartContent part;
  const auto answer = in_time_facts(answered_network(networks));
  part.facts.flag("nothing", !answer).when("one", answer);
  set_conditions(part.facts, view, networks);
  part.datasets = {make_dataset("gathers", kGathers, rows), times_data(networks)};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  if (view.edition().name != "2026") return {};
  const std::vector<TrainedNetwork> networks =
      optimizer_state_sharding_accounting::trained_networks(view, Sharding::kWeights);
  if (networks.empty()) return {};
  return {{"a", memory_part(view, networks)}, {"b", gathers_part(view, networks)}};
}

}  // namespace labreport::fsdp_accounting
