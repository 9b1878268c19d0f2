// Builds the datasets and facts of part (b): how many blocks each checkpoint should span.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/gradient_checkpointing/arrangements.h"
#include "experiments/gradient_checkpointing/spacings.h"
#include "experiments/problems.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kProblem = "gradient_checkpointing";
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kRatio{Notation::kSignificant, 3};
constexpr double kReasonTolerance = 0.02;  // The reason may miss a difference by this fraction.

bool has_training_step(const CheckpointedNetwork& network) {
  return network.spec.mode == Mode::kTrainStep;
}

/// Returns the reason of a missing number. It names the training step if its forward and backward
/// have run before without AdamW's states.
Value missing(const Spacing& spacing) {
  const bool step_failed = spacing.cell->spec.mode == Mode::kTrainStep &&
                           spacing.forward_backward_peak && !spacing.reason.empty();
  return Value::missing((step_failed ? "training step: " : "") + spacing.reason);
}

/// Returns the columns with these names. Bytes are in GiB for a GPU and in MiB for a CPU.
std::vector<Column<Spacing>> columns(const RunView& view, const std::set<std::string_view>& names) {
  const std::string unit = view.on_gpu() ? "GiB" : "MiB";
  const Notation notation{view.on_gpu() ? Notation::kGibibytes : Notation::kMebibytes};
  const auto bytes = [&](const char* name, const char* title, auto member) {
    const auto value = [member](const Spacing& spacing) {
      return spacing.*member ? Value(*(spacing.*member)) : missing(spacing);
    };
    return Column<Spacing>{name, title, value, unit, notation};
  };
  const auto mean_ms = [](const char* name, const char* title, auto member) {
    const auto value = [member](const Spacing& spacing) {
      return (spacing.*member).empty() ? missing(spacing) : Value::mean_of(spacing.*member);
    };
    return Column<Spacing>{name, title, value, "ms"};
  };
  std::vector<Column<Spacing>> all{
      {"blocks", "Blocks per checkpoint", &Spacing::words},
      bytes("saved", "Saved for backward", &Spacing::saved_bytes),
      bytes("forward_backward_peak", "Peak, forward + backward", &Spacing::forward_backward_peak),
      {"forward_backward_formula", "Formula, forward + backward",
       &Spacing::expected_forward_backward_peak, unit, notation},
      bytes("peak", "Peak, training step", &Spacing::peak),
      {"formula", "Formula, training step", &Spacing::expected_peak, unit, notation},
      mean_ms("passes", "Forward + backward", &Spacing::forward_backward_ms),
      mean_ms("step", "Training step", &Spacing::steps_ms),
      mean_ms("forward", "Forward", &Spacing::forward_ms),
      {"again", "Recomputation", &Spacing::recompute_ms, "ms", kTime}};
  return only(std::move(all), [&](const auto& column) { return names.contains(column.name); });
}

/// A point of the figure: a peak in bytes, measured and by the formula, and the GPU's memory.
struct PeakPoint {
  std::string blocks, pass;
  std::optional<double> measured, formula, memory;
};

const std::vector<Column<PeakPoint>> kPoints{
    {"blocks", "Blocks per checkpoint", &PeakPoint::blocks},
    {"pass", "Pass", &PeakPoint::pass},
    {"measured",
     "Measured",
     [](const PeakPoint& point) { return Value(point.measured); },
     "GiB",
     {Notation::kGibibytes}},
    {"formula",
     "Formula",
     [](const PeakPoint& point) { return Value(point.formula); },
     "GiB",
     {Notation::kGibibytes}},
    {"memory",
     "This GPU's memory",
     [](const PeakPoint& point) { return Value(point.memory); },
     "GiB",
     {Notation::kGibibytes}}};

std::vector<PeakPoint> points_of(const RunView& view, const CheckpointedNetwork& network) {
  std::vector<PeakPoint> points;
  std::optional<double> memory;
  if (view.on_gpu() && view.device() != nullptr)
    memory = static_cast<double>(view.device()->memory_bytes);
  for (const Spacing& spacing : network.spacings) {
    if (has_training_step(network)) {
      points.push_back(
          {spacing.words(), "training step", spacing.peak, spacing.expected_peak(), memory});
    }
    points.push_back({spacing.words(), "forward and backward", spacing.forward_backward_peak,
                      spacing.expected_forward_backward_peak(), memory});
  }
  return points;
}

/// Returns "groups of 2 blocks", "single blocks" or "steps without checkpoints".
std::string group_words(const Spacing& spacing) {
  if (!spacing.blocks()) return "steps without checkpoints";
  return *spacing.blocks() == 1 ? "single blocks"
                                : "groups of " + format_plural(*spacing.blocks(), "block");
}

/// Says how the passes of a spacing ended: "peak at **69.8 GiB**", "run out of memory in forward".
std::string end_words(const Spacing& spacing) {
  if (spacing.peak) return "peak at **" + format_bytes_briefly(*spacing.peak) + "**";
  if (spacing.reason.starts_with("out of memory"))
    return "run " + escape_markdown(spacing.reason.substr(0, spacing.reason.find(':')));
  return "have no peak" + (spacing.reason.empty() ? "" : ": " + escape_markdown(spacing.reason));
}

/// Says how the choice below the best ended, and what it keeps if it has no checkpoints.
std::string smaller_sentence(const CheckpointedNetwork& network, const Spacing& best) {
  const Spacing* smaller = network.with_smaller_groups(best);
  if (smaller == nullptr) return "";
  std::string words = group_words(*smaller) + " ";
  words.front() = static_cast<char>(std::toupper(words.front()));
  if (!smaller->blocks() && network.block_bytes_are_measured()) {
    const double bytes = static_cast<double>(network.layers()) * network.block_bytes();
    words += "keep all " + format_plural(network.layers(), "block") + "' residuals, " +
             format_bytes_briefly(bytes) + ", and ";
  }
  words += end_words(*smaller) + ".";
  return best.blocks() == 1 ? "No group is smaller. " + words : words;
}

double gradient_bytes_per_block(const CheckpointedNetwork& network) {
  return static_cast<double>(block_gradient_bytes(*network.spec.model));
}

/// True if, by the formula of section.md, backward peaks in its last group, when the gradients of
/// all other blocks exist; false if in its first group, when the inputs of all groups exist.
bool peaks_in_last_group(const CheckpointedNetwork& network, std::int64_t group_size) {
  const auto other_blocks = static_cast<double>(network.layers() - group_size);
  const std::int64_t groups = (network.layers() + group_size - 1) / group_size;
  const double input_bytes = static_cast<double>(groups) * network.boundary_bytes();
  return other_blocks * gradient_bytes_per_block(network) + network.boundary_bytes() > input_bytes;
}

/// Returns the reason why checkpoints of single blocks are best. Returns nothing unless backward
/// peaks in its last group, and groups of two peak higher by a block's residuals minus gradients.
std::optional<Facts> reason_facts(const CheckpointedNetwork& network, const Spacing& best) {
  const Spacing* groups_of_two = network.with_larger_groups(best);
  if (best.blocks() != 1 || groups_of_two == nullptr || groups_of_two->blocks() != 2 ||
      !best.peak || !groups_of_two->peak || !network.block_bytes_are_measured() ||
      !peaks_in_last_group(network, 1) || !peaks_in_last_group(network, 2))
    return std::nullopt;
  const double gradient_bytes = gradient_bytes_per_block(network);
  const double extra_bytes = *groups_of_two->peak - *best.peak;
  if (extra_bytes <= 0 || gradient_bytes >= network.block_bytes()) return std::nullopt;
  if (std::abs((network.block_bytes() - gradient_bytes) / extra_bytes - 1) > kReasonTolerance)
    return std::nullopt;
  return Facts()
      .set("residuals", format_bytes_briefly(network.block_bytes()))
      .set("boundary", format_bytes_briefly(network.boundary_bytes()))
      .set("ratio", network.block_bytes() / network.boundary_bytes(), kRatio)
      .set("root", std::sqrt(static_cast<double>(network.layers())), kRatio)
      .set("gradients", format_bytes_briefly(gradient_bytes));
}

/// Says how the choice above the best ended; empty if there is none.
std::string larger_sentence(const CheckpointedNetwork& network, const Spacing& best) {
  const Spacing* larger = network.with_larger_groups(best);
  if (larger == nullptr) return "";
  std::string words = group_words(*larger);
  words.front() = static_cast<char>(std::toupper(words.front()));
  return words + " " + end_words(*larger) + ".";
}

/// Compares the time of recomputation with the forward pass and the rest of the step. Returns
/// nothing unless they are alike, and at least two spacings take equally long.
std::optional<Facts> recomputation_facts(const CheckpointedNetwork& network, const Spacing& best) {
  if (!best.recompute_ms || best.forward_ms.empty() || best.steps_ms.empty()) return std::nullopt;
  const auto timed = only(network.spacings, [](const Spacing& spacing) {
    return spacing.recompute_ms && !spacing.steps_ms.empty();
  });
  const bool are_alike = std::ranges::all_of(timed, [&](const Spacing& spacing) {
    return std::abs(*spacing.recompute_ms / *best.recompute_ms - 1) <= kReasonTolerance;
  });
  const double forward_ms = mean(best.forward_ms);
  if (timed.size() < 2 || !are_alike ||
      std::abs(*best.recompute_ms / forward_ms - 1) > kReasonTolerance)
    return std::nullopt;
  const auto [least_ms, most_ms] = std::ranges::minmax(
      each(timed, [](const Spacing& spacing) { return *spacing.recompute_ms; }));
  const double most_share = std::ranges::max(each(timed, [](const Spacing& spacing) {
    return *spacing.recompute_ms / (mean(spacing.steps_ms) - *spacing.recompute_ms);
  }));
  return Facts()
      .set("ms", from_to(format_significant(least_ms, 3), format_significant(most_ms, 3)))
      .set("share", format_percent(most_share))
      .set("own_share",
           format_percent(*best.recompute_ms / (mean(best.steps_ms) - *best.recompute_ms)));
}

/// A term of the formula in section.md, which gives the peak with checkpoints.
struct Term {
  const char* symbol;
  const char* meaning;
  std::string value;
};

const std::vector<Column<Term>> kTerms{{"term", "Term", &Term::symbol},
                                       {"meaning", "Meaning", &Term::meaning},
                                       {"value", "Value", &Term::value}};

/// Returns the bytes that the formula's other terms leave to T. Returns nothing if the network does
/// not peak in the backward of a softmax.
std::optional<double> rest_bytes(const CheckpointedNetwork& network) {
  CellSpec spec = network.spec;
  spec.mode = Mode::kForwardBackward;
  spec.blocks_per_checkpoint = 1;
  const ExpectedPeak peak = expected_peak(spec);
  const bool in_softmax =
      peak.phase == metric::kBackward && peak.gradients < parameter_bytes(*spec.model);
  if (!in_softmax) return std::nullopt;
  const auto layers = static_cast<double>(network.layers());
  const double inputs_or_gradients =
      std::max(layers * network.boundary_bytes(),
               (layers - 1) * gradient_bytes_per_block(network) + network.boundary_bytes());
  return static_cast<double>(peak.total() - parameter_bytes(*spec.model) -
                             saved_block_bytes(spec)) -
         inputs_or_gradients;
}

std::vector<Term> terms_of(const CheckpointedNetwork& network) {
  const ModelShape& shape = *network.spec.model;
  const auto bytes = [](auto count) { return format_bytes_briefly(static_cast<double>(count)); };
  std::vector<Term> terms{{"N", "blocks", format_count(network.layers())},
                          {"W, forward + backward", "weights", bytes(parameter_bytes(shape))}};
  if (has_training_step(network))
    terms.push_back({"W, training step", "weights and AdamW's two moments",
                     bytes(parameter_bytes(shape) + moment_bytes(shape))});
  terms.push_back({"R", "residuals of a block", bytes(saved_block_bytes(network.spec))});
  terms.push_back({"b", "input of a block", bytes(network.boundary_bytes())});
  terms.push_back({"g", "gradients of a block", bytes(block_gradient_bytes(shape))});
  const auto rest = rest_bytes(network);
  if (rest)
    terms.push_back(
        {"T",
         "tensors of a softmax's backward, the logits and the first gradients, less what "
         "a block saves after its softmax",
         bytes(*rest)});
  return terms;
}

Facts network_facts(const CheckpointedNetwork& network) {
  double largest_error = 0;
  const auto compare = [&](double calculated, const std::optional<double>& measured) {
    if (measured) largest_error = std::max(largest_error, std::abs(calculated / *measured - 1));
  };
  for (const Spacing& spacing : network.spacings) {
    compare(spacing.expected_forward_backward_peak(), spacing.forward_backward_peak);
    compare(spacing.expected_peak(), spacing.peak);
  }
  // If no spacing has a peak, the formula tells which needs the least memory.
  const Spacing& best =
      network.best() != nullptr
          ? *network.best()
          : *std::ranges::min_element(network.spacings, {}, &Spacing::expected_peak);
  return Facts()
      .set("words", network.words)
      .set("groups", group_words(best))
      .set("peak", format_bytes_briefly(best.peak.value_or(best.expected_peak())))
      .set("how", network.best() == nullptr    ? "by the formula, as no choice has a peak"
                  : has_training_step(network) ? "in a training step"
                                               : "in forward and backward")
      .set_markdown("larger", network.best() == nullptr ? "" : larger_sentence(network, best))
      .when("why", reason_facts(network, best))
      .set_markdown("smaller", network.best() == nullptr ? "" : smaller_sentence(network, best))
      .when("again", recomputation_facts(network, best))
      .set("error", format_percent(largest_error));
}

/// Returns the figure's title, "Single blocks peak lowest, at 69.8 GiB"; empty if none has a peak.
std::string lowest_words(const CheckpointedNetwork& network) {
  const Spacing* best = network.best();
  if (best == nullptr) return "";
  std::string words = group_words(*best) + " peak lowest, at " + format_bytes_briefly(*best->peak);
  words.front() = static_cast<char>(std::toupper(words.front()));
  return words;
}

void add_datasets(PartContent& part, const RunView& view,
                  const std::vector<CheckpointedNetwork>& networks) {
  for (const CheckpointedNetwork& network : networks) {
    std::set<std::string_view> main_columns{"blocks", "forward_backward_peak",
                                            "forward_backward_formula", "passes"};
    std::set<std::string_view> cost_columns{"blocks", "saved", "forward", "again"};
    if (has_training_step(network)) {
      main_columns = {"blocks", "forward_backward_peak", "peak", "formula", "step"};
      cost_columns.insert({"forward_backward_peak", "forward_backward_formula", "passes"});
    }
    for (Dataset dataset : {make_dataset("choices", columns(view, main_columns), network.spacings),
                            make_dataset("costs", columns(view, cost_columns), network.spacings),
                            make_dataset("terms", kTerms, terms_of(network)),
                            make_dataset("peaks", kPoints, points_of(view, network))}) {
      if (networks.size() > 1) dataset.variant = network.words;
      if (dataset.name == "peaks") dataset.finding = lowest_words(network);
      part.datasets.push_back(std::move(dataset));
    }
  }
}

PartContent spacing_part(const RunView& view, const std::vector<CheckpointedNetwork>& networks) {
  PartContent part;
  for (const CheckpointedNetwork& network : networks) {
    for (const Spacing& spacing : network.spacings) part.cells.push_back(spacing.cell);
  }
  part.facts.list("networks", each(networks, network_facts));
  part.facts.list("measured", each(only(networks, &CheckpointedNetwork::best), network_facts));
  const CellSpec& spec = networks.front().spec;
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  add_datasets(part, view, networks);
  part.details.tables = {command_table(view.run(), kProblem, part.cells)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<CheckpointedNetwork> networks = checkpointed_networks(view);
  if (networks.empty()) return {};
  return {{"a", present_nested(networks)}, {"b", spacing_part(view, networks)}};
}

}  // namespace labreport::gradient_checkpointing
