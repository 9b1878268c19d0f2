// Builds the datasets and facts of section.md: what sharded weights save, and whether they arrive
// in time.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/sharding_tables.h"
#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/problems.h"
#include "results/metric_names.h"
#include "results/run_labels.h"

namespace labreport::fsdp_accounting {
namespace {

using sharding::ShardingScheme;
using sharding::Stage;
using sharding::TrainedNetwork;
using sharding::When;

constexpr const char* kProblem = "fsdp_accounting";
// Gradients explain a saving below the expected one if saving and gradients add up to the expected
// one, up to this fraction of it.
constexpr double kSavingTolerance = 0.05;
// Rounding makes losses differ by at most these fractions with FP32 and with 16-bit gradients.
constexpr double kFp32LossTolerance = 1e-6, kSixteenBitLossTolerance = 1e-2;

/// Returns the peak of a step after the first; nothing if it was not measured.
std::optional<double> step_peak_bytes(const ShardingScheme& scheme) {
  const Stage* before = scheme.stage(When::kLaterStep, metric::kBeforeOptimizer);
  const Stage* after = scheme.stage(When::kLaterStep, metric::kAfterOptimizer);
  return before && after ? std::optional(after->peak_so_far) : std::nullopt;
}

/// True if the step peaks in its passes, before the optimizer step.
bool peaks_in_passes(const ShardingScheme& scheme) {
  return scheme.stage(When::kLaterStep, metric::kBeforeOptimizer)->point.peak ==
         step_peak_bytes(scheme);
}

/// Returns the bytes of parameters, gradients and optimizer state of a rank, by formula.
double held_total_bytes(const ShardingScheme& scheme) {
  return static_cast<double>(held_bytes(scheme.cell->spec).total());
}

/// Returns the network that answers describe: the largest that ran with sharded weights, or of all
/// if none did, in its first precision.
const TrainedNetwork& described_network(const std::vector<TrainedNetwork>& networks) {
  const auto preference = [](const TrainedNetwork& network) {
    return std::pair(network.find(Sharding::kWeights)->ran(),
                     parameter_count(*network.spec().model));
  };
  return *std::ranges::max_element(networks, {}, preference);
}

/// Compares the measured peaks. The fact `early` holds if both steps peak before the optimizer step
/// and the saving lacks just the gradients' part, because they did not exist yet at the peak.
std::optional<Facts> peak_facts(const ShardingScheme& less_sharded, const ShardingScheme& sharded,
                                double expected_bytes) {
  const auto peak = step_peak_bytes(less_sharded), sharded_peak = step_peak_bytes(sharded);
  if (!peak || !sharded_peak) return std::nullopt;
  const double saved_bytes = *peak - *sharded_peak;
  const double saved_gradient_bytes = static_cast<double>(
      held_bytes(less_sharded.cell->spec).gradients - held_bytes(sharded.cell->spec).gradients);
  const bool early = peaks_in_passes(less_sharded) && peaks_in_passes(sharded) &&
                     std::abs(expected_bytes - saved_bytes - saved_gradient_bytes) <=
                         kSavingTolerance * expected_bytes;
  return Facts()
      .set("before", format_bytes_briefly(*peak))
      .set("after", format_bytes_briefly(*sharded_peak))
      .set("saved", format_bytes_briefly(std::abs(saved_bytes)))
      .flag("lower", saved_bytes > 0)
      .flag("higher", saved_bytes <= 0)
      .when("early", early, "gradients", format_bytes_briefly(saved_gradient_bytes));
}

struct GatherRow {
  std::string network;
  ModuleGathers gathers;
};

const std::vector<Column<GatherRow>> kGathers{
    {"series", "Network and pass",
     [](const GatherRow& row) { return row.network + ", " + row.gathers.pass; }},
    {"network", "Network", &GatherRow::network},
    {"block", "Weights of", [](const GatherRow& row) { return row.gathers.module; }},
    {"number", "Block", [](const GatherRow& row) { return Value(row.gathers.block_number()); }, "",
     kAsCount},
    {"pass", "Pass", [](const GatherRow& row) { return row.gathers.pass; }},
    {"bytes",
     "Gathered",
     [](const GatherRow& row) { return row.gathers.bytes; },
     "MiB",
     {Notation::kMebibytes}},
    {"alone", "Gathers alone", [](const GatherRow& row) { return row.gathers.alone_ms; }, "ms",
     kThreeDigits},
    {"wait", "Waited", [](const GatherRow& row) { return row.gathers.wait_ms; }, "ms",
     kThreeDigits},
    {"share",
     "Waited over alone",
     [](const GatherRow& row) {
       return row.gathers.alone_ms > 0 ? Value(row.gathers.wait_ms / row.gathers.alone_ms)
                                       : Value();
     },
     "%",
     {Notation::kPercent}},
    {"layers", "Matrices", [](const GatherRow& row) { return row.gathers.matrices; }, "", kAsCount},
    {"in_time", "In time", [](const GatherRow& row) { return row.gathers.matrices_in_time; }, "",
     kAsCount}};

/// Counts the blocks' matrices that had been gathered when the forward pass needed them.
std::optional<Facts> in_time_facts(const TrainedNetwork& network) {
  const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
  const auto sum =
      launch == nullptr ? std::nullopt : sum_of_blocks(module_gathers(*launch), metric::kForward);
  if (!sum || sum->alone_ms <= 0) return std::nullopt;
  const ShardingScheme* unsharded = network.find(Sharding::kNone);
  const double compute_ms =
      unsharded == nullptr ? 0 : unsharded->phase_ms(metric::kForward).value_or(0);
  const auto block_count = static_cast<double>(network.spec().model->layers);
  const Facts compute_facts = Facts().set("ms", compute_ms / block_count, kThreeDigits);
  const auto late = late_matrices(*launch, metric::kForward);
  const bool all_in_time = sum->matrices_in_time == sum->matrices;
  return Facts()
      .set("network", network.words)
      .set("in_time", format_count(sum->matrices_in_time))
      .set("layers", format_count(sum->matrices))
      .flag("all", all_in_time)
      .flag("some", !all_in_time && sum->matrices_in_time > 0)
      .flag("none", sum->matrices_in_time == 0)
      .when("late", !all_in_time && !late.empty() && sum->matrices_in_time > 0, "matrices",
            join_words(late))
      .set("alone", sum->alone_ms / block_count, kThreeDigits)
      .set("wait", sum->wait_ms / block_count, kThreeDigits)
      .when("computes", compute_ms > 0 && all_in_time, compute_facts)
      .when("although", compute_ms > sum->alone_ms && !all_in_time, compute_facts)
      .when("hardly_computes", compute_ms > 0 && compute_ms <= sum->alone_ms && !all_in_time,
            compute_facts);
}

PartContent memory_part(const RunView& view, const std::vector<TrainedNetwork>& networks) {
  const TrainedNetwork& network = described_network(networks);
  const ShardingScheme& sharded = *network.find(Sharding::kWeights);
  const ShardingScheme* sharded_optimizer = network.find(Sharding::kOptimizer);
  const ShardingScheme* less_sharded =
      sharded_optimizer ? sharded_optimizer : network.find(Sharding::kNone);
  std::optional<Facts> saving;
  if (less_sharded != nullptr) {
    const double expected_bytes = held_total_bytes(*less_sharded) - held_total_bytes(sharded);
    saving = Facts()
                 .set("expected", format_bytes_briefly(expected_bytes))
                 .when("peaks", peak_facts(*less_sharded, sharded, expected_bytes));
  }
  PartContent part;
  part.facts.set("network", network.words)
      .flag("optimizer", sharded_optimizer != nullptr)
      .when("saving", saving);
  set_conditions(part.facts, view, networks);
  sharding::list_diverging_losses(part.facts, networks, Sharding::kWeights, kFp32LossTolerance,
                                  kSixteenBitLossTolerance);
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
    for (const ModuleGathers& gathers : module_gathers(*launch)) {
      rows.push_back({network.words, gathers});
    }
  }
  PartContent part;
  const auto answer = in_time_facts(described_network(networks));
  part.facts.flag("nothing", !answer).when("one", answer);
  set_conditions(part.facts, view, networks);
  part.datasets = {make_dataset("gathers", kGathers, rows), times_data(networks)};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  if (view.edition().name != kEdition2026) return {};
  const std::vector<TrainedNetwork> networks = sharding::trained_networks(view, Sharding::kWeights);
  if (networks.empty()) return {};
  return {{"a", memory_part(view, networks)}, {"b", gathers_part(view, networks)}};
}

}  // namespace labreport::fsdp_accounting
