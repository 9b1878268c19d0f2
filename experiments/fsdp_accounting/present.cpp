// Builds the datasets and facts of section.md: what sharded weights save, and whether they arrive
// in time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/contention.h"
#include "base/format.h"
#include "experiments/common/code_name.h"
#include "experiments/common/command.h"
#include "experiments/common/sharding_tables.h"
#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/problems.h"
#include "plan/datasheet.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/run_labels.h"
#include "results/table_shapes.h"

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
  const auto before = step_peak_bytes(less_sharded ? *less_sharded : sharded);
  const auto after = step_peak_bytes(sharded);
  std::optional<Facts> peaks, early;
  if (less_sharded && before && after) {
    peaks = Facts()
                .set("before", format_bytes_briefly(*before))
                .set("after", format_bytes_briefly(*after))
                .set("code", code_name(sharded.cell->spec));
    const auto gradient_bytes = static_cast<double>(held_bytes(less_sharded->cell->spec).gradients -
                                                    held_bytes(sharded.cell->spec).gradients);
    if (peaks_in_passes(*less_sharded) && peaks_in_passes(sharded) &&
        std::abs(expected_bytes - (*before - *after) - gradient_bytes) <=
            kSavingTolerance * expected_bytes)
      early = Facts().set("gradients", format_bytes_briefly(gradient_bytes));
  }
  facts.when("peaks", peaks).when("early", early);
}

/// Compares the peaks of `sharded` and of a step with nothing sharded, and gives the bytes of
/// parameters and state that a rank no longer holds if these explain the difference.
std::optional<Facts> whole_facts(const ShardingScheme* whole, const ShardingScheme& sharded) {
  if (whole == nullptr) return std::nullopt;
  const auto before = step_peak_bytes(*whole), after = step_peak_bytes(sharded);
  if (!before || !after || *before <= *after) return std::nullopt;
  const auto held_there = [](const ShardingScheme& scheme) {
    const auto point = peaks_in_passes(scheme) ? metric::kBeforeOptimizer : metric::kAfterOptimizer;
    const Stage& stage = *scheme.stage(When::kLaterStep, point);
    return stage.point.parameters + stage.point.optimizer;
  };
  const double held_bytes = held_there(*whole) - held_there(sharded);
  const double unexplained_bytes = std::abs(*before - *after - held_bytes);
  return Facts()
      .set("before", format_bytes_briefly(*before))
      .set("after", format_bytes_briefly(*after))
      .set("code", code_name(sharded.cell->spec))
      .when("explained", unexplained_bytes <= kSavingTolerance * held_bytes, "held",
            format_bytes_briefly(held_bytes));
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
  std::optional<double> compute_ms = {};  ///< The whole pass with nothing sharded.
  std::optional<double> longer_ms = {};   ///< How much longer the pass takes with sharded weights.
  /// By how much its kernels beside collectives take longer than with nothing sharded.
  std::optional<double> contention_ms = {};
  std::vector<std::string> flags = {};

  double per_block(double pass_ms) const {
    return pass_ms / static_cast<double>(network->spec().model->layers);
  }
  double late_fraction() const {
    return 1 -
           static_cast<double>(gathers.matrices_in_time) / static_cast<double>(gathers.matrices);
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
    {"waits", "All blocks wait", [](const PassRow& row) { return row.gathers.wait_ms; }, "ms",
     kThreeDigits},
    {"longer", "Pass longer by", &PassRow::longer_ms, "ms", kThreeDigits},
    {"contention", "Kernels longer by", &PassRow::contention_ms, "ms", kThreeDigits}};

/// Returns nothing if the network's blocks gathered nothing in this pass.
std::optional<PassRow> pass_row(const TrainedNetwork& network, std::string_view pass) {
  const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
  const auto gathers =
      launch == nullptr ? std::nullopt : sum_of_blocks(module_gathers(*launch), pass);
  if (!gathers || gathers->alone_ms <= 0) return std::nullopt;
  PassRow row{&network, *gathers};
  const ShardingScheme* unsharded = network.find(Sharding::kNone);
  if (unsharded != nullptr) row.compute_ms = unsharded->phase_ms(pass);
  const auto sharded_ms = network.find(Sharding::kWeights)->phase_ms(pass);
  if (row.compute_ms && sharded_ms) row.longer_ms = *sharded_ms - *row.compute_ms;
  if (unsharded != nullptr && unsharded->ran()) {
    const auto found = contention(*launch, *ok_launch(*unsharded->cell), pass);
    if (found) row.contention_ms = found->longer_ms;
  }
  if (row.longer_ms && *row.longer_ms < row.gathers.wait_ms)
    row.flags.emplace_back("waits of other steps");
  return row;
}

/// Returns which share of the gathers is late: "all", "almost none", "44 %".
std::string late_words(std::int64_t in_time, std::int64_t gathers) {
  constexpr double kFew = 0.05;
  const double late = 1 - static_cast<double>(in_time) / static_cast<double>(gathers);
  if (late < kFew) return late > 0 ? "almost none" : "none";
  if (late > 1 - kFew) return late < 1 ? "almost all" : "all";
  return format_rough_percent(late) + " %";
}

/// Returns the least time in ns of a GEMM of the FFN, by the data sheet's rate; nothing if that is
/// unknown.
std::optional<double> least_gemm_ns(const RunView& view, const TrainedNetwork& network) {
  const Launch& launch = *ok_launch(*network.find(Sharding::kWeights)->cell);
  const CellSpec& spec = network.spec();
  if (!launch.device) return std::nullopt;
  const Device& device = view.run().devices.at(static_cast<std::size_t>(*launch.device));
  const auto peak = datasheet_peak(device.name, *spec.precision);
  if (!peak) return std::nullopt;
  const std::int64_t tokens = *spec.batch * *spec.context;
  return 2e9 * static_cast<double>(tokens * spec.model->d_model * spec.model->d_ff) / *peak;
}

/// Explains late gathers of the FFN if the shortest takes at least twice as long alone as a GEMM by
/// the data sheet; else empty.
std::string why_late(const RunView& view, const TrainedNetwork& network) {
  const auto gemm_ns = least_gemm_ns(view, network);
  double shortest_ns = std::numeric_limits<double>::infinity();
  const Launch& launch = *ok_launch(*network.find(Sharding::kWeights)->cell);
  for (const MeasuredRow& row : measured_rows(launch, metric::kGathers)) {
    const auto alone = row.number(column::kAloneNs);
    if (alone && row.text(column::kModule).find(".ffn.") != std::string::npos)
      shortest_ns = std::min(shortest_ns, *alone);
  }
  if (!gemm_ns || std::isinf(shortest_ns) || shortest_ns < 2 * *gemm_ns) return "";
  return fmt::format(": an FFN gather takes {} ms or more, its GEMM {} at peak",
                     format_value(shortest_ns / 1e6, kThreeDigits),
                     format_value(*gemm_ns / 1e6, kThreeDigits));
}

/// Tells for the GEMM of a matrix of FFN that it shares the GPU with the next one's gather. Returns
/// nothing unless all gathers of w3 and w2 are late for forward, although alone they take less than
/// the GEMMs beside them, w1's and w3's, would at the data sheet's peak.
std::optional<Facts> sharing_facts(const RunView& view, const TrainedNetwork& network) {
  const Launch& launch = *ok_launch(*network.find(Sharding::kWeights)->cell);
  const auto gemm_ns = least_gemm_ns(view, network);
  if (!gemm_ns) return std::nullopt;
  double longest_ns = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGathers)) {
    const std::string module = row.text(column::kModule);
    const bool follows_ffn = module.ends_with(".ffn.w3") || module.ends_with(".ffn.w2");
    if (!follows_ffn || row.text(column::kPhase) != metric::kForward) continue;
    const auto wait = row.number(column::kWaitNs), alone = row.number(column::kAloneNs);
    if (!wait || !alone || is_in_time(*wait, *alone)) return std::nullopt;
    longest_ns = std::max(longest_ns, *alone);
  }
  if (longest_ns <= 0 || longest_ns >= *gemm_ns) return std::nullopt;
  return Facts()
      .set("gemm", *gemm_ns / 1e6, kThreeDigits)
      .set("longest", longest_ns / 1e6, kThreeDigits);
}

/// Tells how many gathers are late in 16 bits. Returns nothing unless more are late than in
/// `forward` and `backward` in FP32.
std::optional<Facts> half_facts(const RunView& view, const std::vector<TrainedNetwork>& networks,
                                const PassRow& forward, const PassRow& backward) {
  for (const TrainedNetwork& network : networks) {
    const CellSpec &half = network.spec(), &whole = forward.network->spec();
    if (!under_autocast(half) || half.model != whole.model || half.context != whole.context)
      continue;
    const auto half_forward = pass_row(network, metric::kForward);
    const auto half_backward = pass_row(network, metric::kBackward);
    if (!half_forward || !half_backward ||
        half_forward->late_fraction() <= forward.late_fraction() ||
        half_backward->late_fraction() <= backward.late_fraction())
      continue;
    return Facts()
        .set("precision", describe(*half.precision))
        .set("forward",
             late_words(half_forward->gathers.matrices_in_time, half_forward->gathers.matrices))
        .set("backward",
             late_words(half_backward->gathers.matrices_in_time, half_backward->gathers.matrices))
        .set("why", why_late(view, network));
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
  auto whole = whole_facts(network.find(Sharding::kNone), sharded);
  if (whole) whole->set("network", network.words);
  part.facts.when("whole", whole);
  set_conditions(part.facts, view, networks);
  sharding::list_diverging_losses(part.facts, networks, Sharding::kWeights, kFp32LossTolerance,
                                  kSixteenBitLossTolerance);
  part.datasets = {points_data(networks), stacks_data(networks, sharding::StackedPeaks::kOfStep)};
  part.details.tables = {
      command_table(view.run(), kProblem, {networks.front().schemes.front().cell})};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

/// Presents labreport's gathers, because those of the user's code are not timed. `compared` are the
/// networks of the table of steps.
PartContent gathers_part(const RunView& view, const std::vector<TrainedNetwork>& networks,
                         const std::vector<TrainedNetwork>& compared) {
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
  const auto backward = pass_row(described_network(networks), metric::kBackward);
  std::optional<Facts> one;
  if (forward && backward) {
    const ModuleGathers &all = forward->gathers, &again = backward->gathers;
    one = Facts()
              .set("network", forward->network->words)
              .set("ffn", late_words(all.ffn_matrices_in_time, all.ffn_matrices))
              .set("attention", late_words(all.matrices_in_time - all.ffn_matrices_in_time,
                                           all.matrices - all.ffn_matrices))
              .set("backward", late_words(again.matrices_in_time, again.matrices))
              .set("alone", forward->per_block(forward->gathers.alone_ms), kThreeDigits)
              .set("wait", forward->per_block(forward->gathers.wait_ms), kThreeDigits);
  }
  const CellSpec& described = described_network(compared).find(Sharding::kWeights)->cell->spec;
  const bool is_users = !described.implementation.empty();
  part.set_answer(is_users ? std::nullopt : one);
  part.facts.when("users", is_users, "code", code_name(described));
  part.facts.when("shared", forward ? sharing_facts(view, *forward->network) : std::nullopt)
      .when("half",
            forward && backward ? half_facts(view, networks, *forward, *backward) : std::nullopt);
  part.facts.flag("contention", std::ranges::any_of(passes, [](const PassRow& row) {
                    return row.contention_ms.has_value();
                  }));
  set_conditions(part.facts, view, compared);
  part.datasets = {make_dataset("gathers", kGathers, rows), make_dataset("passes", kPasses, passes),
                   times_data(compared)};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  if (view.edition().name != kEdition2026) return {};
  const auto labreports = sharding::trained_networks(view, Sharding::kWeights);
  const auto compared = sharding::compared_networks(view, Sharding::kWeights);
  Presentation parts;
  if (!compared.empty()) parts["a"] = memory_part(view, compared);
  if (!labreports.empty()) parts["b"] = gathers_part(view, labreports, compared);
  return parts;
}

}  // namespace labreport::fsdp_accounting
