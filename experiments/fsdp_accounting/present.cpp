// Builds the datasets and facts of section.md: what sharded weights save, and whether they arrive
// in time.
#include <algorithm>
#include <cmath>

#include "base/format.h"
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

/// Sets the facts that compare the measured peaks. `early` holds if both steps peak before the
/// optimizer step and the saving lacks just the gradients' part, because they did not exist yet.
void add_peaks(Facts& facts, const ShardingScheme* less_sharded, const ShardingScheme& sharded,
               double expected_bytes) {
  const auto peak = less_sharded ? step_peak_bytes(*less_sharded) : std::nullopt;
  const auto sharded_peak = step_peak_bytes(sharded);
  const bool have_peaks = peak && sharded_peak;
  const double before = peak.value_or(0), after = sharded_peak.value_or(0);
  double gradient_bytes = 0;
  bool early = false;
  if (have_peaks) {
    gradient_bytes = static_cast<double>(held_bytes(less_sharded->cell->spec).gradients -
                                         held_bytes(sharded.cell->spec).gradients);
    early = peaks_in_passes(*less_sharded) && peaks_in_passes(sharded) &&
            std::abs(expected_bytes - (before - after) - gradient_bytes) <=
                kSavingTolerance * expected_bytes;
  }
  facts
      .when("peaks", have_peaks,
            Facts()
                .set("before", format_bytes_briefly(before))
                .set("after", format_bytes_briefly(after)))
      .when("early", early, "gradients", format_bytes_briefly(gradient_bytes));
}

struct GatherRow {
  std::string network;
  ModuleGathers gathers;
};

const std::vector<Column<GatherRow>> kGathers{
    {"series", "Network and pass",
     [](const GatherRow& row) { return row.network + ", " + row.gathers.pass; }},
    {"block", "Weights of", [](const GatherRow& row) { return row.gathers.module; }},
    {"number", "Block", [](const GatherRow& row) { return Value(row.gathers.block_number()); }, "",
     kAsCount},
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
     {Notation::kPercent}}};

/// The gathers of all blocks of a network in one pass, and the blocks' computation.
struct PassRow {
  const TrainedNetwork* network;
  ModuleGathers gathers;
  std::optional<double> compute_ms;  ///< The whole pass with nothing sharded.

  double per_block(double pass_ms) const {
    return pass_ms / static_cast<double>(network->spec().model->layers);
  }
  std::optional<double> wait_over_compute() const {
    return compute_ms ? std::optional(gathers.wait_ms / *compute_ms) : std::nullopt;
  }
};

const std::vector<Column<PassRow>> kPasses{
    {"network", "Network", [](const PassRow& row) { return row.network->words; }},
    {"pass", "Pass", [](const PassRow& row) { return row.gathers.pass; }},
    {"matrices", "Gathers", [](const PassRow& row) { return row.gathers.matrices; }, "", kAsCount},
    {"in_time", "In time", [](const PassRow& row) { return row.gathers.matrices_in_time; }, "",
     kAsCount},
    {"ffn", "FFN’s", [](const PassRow& row) { return row.gathers.ffn_matrices; }, "", kAsCount},
    {"ffn_in_time", "FFN’s in time",
     [](const PassRow& row) { return row.gathers.ffn_matrices_in_time; }, "", kAsCount},
    {"alone", "A block’s gathers alone",
     [](const PassRow& row) { return row.per_block(row.gathers.alone_ms); }, "ms", kThreeDigits},
    {"wait", "A block waits", [](const PassRow& row) { return row.per_block(row.gathers.wait_ms); },
     "ms", kThreeDigits},
    {"compute", "A block computes",
     [](const PassRow& row) {
       return row.compute_ms ? Value(row.per_block(*row.compute_ms)) : Value();
     },
     "ms", kThreeDigits},
    {"share", "Waits over computes", &PassRow::wait_over_compute, "%", {Notation::kPercent}}};

/// Returns nothing if the network's blocks gathered nothing in this pass.
std::optional<PassRow> pass_row(const TrainedNetwork& network, std::string_view pass) {
  const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
  const auto gathers =
      launch == nullptr ? std::nullopt : sum_of_blocks(module_gathers(*launch), pass);
  if (!gathers || gathers->alone_ms <= 0) return std::nullopt;
  PassRow row{&network, *gathers, {}};
  const ShardingScheme* unsharded = network.find(Sharding::kNone);
  if (unsharded != nullptr) row.compute_ms = unsharded->phase_ms(pass);
  return row;
}

/// Returns which share of the gathers is late: "all", "none", "1.6 %".
std::string late_words(std::int64_t in_time, std::int64_t gathers) {
  if (in_time == gathers || in_time == 0) return in_time == 0 ? "all" : "none";
  return format_rough_percent(1 - static_cast<double>(in_time) / static_cast<double>(gathers)) +
         " %";
}

/// Compares the forward pass in 16 bits with `full`, that in FP32. Returns nothing unless
/// computation gains more than gathers, which then is why the pass waits longer.
std::optional<Facts> half_precision_facts(const std::vector<TrainedNetwork>& networks,
                                          const PassRow& full) {
  for (const TrainedNetwork& network : networks) {
    const CellSpec &half = network.spec(), &whole = full.network->spec();
    if (!under_autocast(half) || half.model != whole.model || half.context != whole.context)
      continue;
    const auto forward = pass_row(network, metric::kForward);
    if (!forward || !full.compute_ms || !forward->compute_ms) continue;
    const double compute_gain = *full.compute_ms / *forward->compute_ms;
    const double gather_gain = full.gathers.alone_ms / forward->gathers.alone_ms;
    if (compute_gain <= gather_gain || *forward->wait_over_compute() <= *full.wait_over_compute())
      continue;
    return Facts()
        .set("precision", describe(*network.spec().precision))
        .set("late", late_words(forward->gathers.matrices_in_time, forward->gathers.matrices))
        .set("forward", format_percent(*forward->wait_over_compute()))
        .set("compute", format_ratio(compute_gain))
        .set("gather", format_ratio(gather_gain));
  }
  return std::nullopt;
}

PartContent memory_part(const RunView& view, const std::vector<TrainedNetwork>& networks) {
  const TrainedNetwork& network = described_network(networks);
  const ShardingScheme& sharded = *network.find(Sharding::kWeights);
  const ShardingScheme* sharded_optimizer = network.find(Sharding::kOptimizer);
  const ShardingScheme* less_sharded =
      sharded_optimizer ? sharded_optimizer : network.find(Sharding::kNone);
  const double expected_bytes =
      less_sharded ? held_total_bytes(*less_sharded) - held_total_bytes(sharded) : 0;
  PartContent part;
  part.facts.when("saving", less_sharded != nullptr,
                  Facts()
                      .set("network", network.words)
                      .set("other", sharded_optimizer ? "a sharded optimizer" : "nothing sharded")
                      .set("expected", format_bytes_briefly(expected_bytes)));
  add_peaks(part.facts, less_sharded, sharded, expected_bytes);
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
  std::vector<PassRow> passes;
  for (const TrainedNetwork& network : networks) {
    const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
    if (launch == nullptr) continue;
    for (const ModuleGathers& gathers : module_gathers(*launch))
      rows.push_back({network.words, gathers});
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      if (const auto row = pass_row(network, pass)) passes.push_back(*row);
    }
  }
  PartContent part;
  const auto forward = pass_row(described_network(networks), metric::kForward);
  std::optional<Facts> one;
  if (forward) {
    const ModuleGathers& all = forward->gathers;
    one = Facts()
              .set("network", forward->network->words)
              .set("ffn", late_words(all.ffn_matrices_in_time, all.ffn_matrices))
              .set("attention", late_words(all.matrices_in_time - all.ffn_matrices_in_time,
                                           all.matrices - all.ffn_matrices))
              .set("alone", forward->per_block(forward->gathers.alone_ms), kThreeDigits)
              .set("wait", forward->per_block(forward->gathers.wait_ms), kThreeDigits);
  }
  const auto share = forward ? forward->wait_over_compute() : std::nullopt;
  part.facts.when("one", one)
      .when("waits", share.has_value(), "share", format_percent(share.value_or(0)))
      .when("half", forward ? half_precision_facts(networks, *forward) : std::nullopt);
  set_conditions(part.facts, view, networks);
  part.datasets = {make_dataset("gathers", kGathers, rows), make_dataset("passes", kPasses, passes),
                   times_data(networks)};
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
