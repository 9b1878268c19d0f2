// Builds the datasets and facts of part (b): how many blocks each checkpoint should span.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/common/command.h"
#include "experiments/gradient_checkpointing/arrangements.h"
#include "experiments/gradient_checkpointing/choices.h"
#include "experiments/problems.h"
#include "plan/memory.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kProblem = "gradient_checkpointing";
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kRatio{Notation::kSignificant, 3};
constexpr double kLossTolerance = 0.01;    // Rounding explains a relative difference up to this.
constexpr double kReasonTolerance = 0.02;  // A reason may miss this share of a difference.

bool has_training_step(const CheckpointedNetwork& network) {
  return network.spec.mode == Mode::kTrainStep;
}

Value bytes_or_reason(const std::optional<double>& bytes, const Choice& choice) {
  return bytes ? Value(*bytes) : Value::missing(choice.reason);
}

Value mean_or_reason(const std::vector<double>& ms, const Choice& choice) {
  return ms.empty() ? Value::missing(choice.reason) : Value::mean_of(ms);
}

/// Returns the columns with these names. Bytes are in GiB for a GPU and in MiB for a CPU.
std::vector<Column<Choice>> columns(const RunView& view, const std::set<std::string_view>& names) {
  const std::string unit = view.on_gpu() ? "GiB" : "MiB";
  const Notation bytes{view.on_gpu() ? Notation::kGibibytes : Notation::kMebibytes};
  std::vector<Column<Choice>> all{
      {"blocks", "Blocks per checkpoint", &Choice::words},
      {"saved", "Saved for backward",
       [](const Choice& choice) { return bytes_or_reason(choice.saved_bytes, choice); }, unit,
       bytes},
      {"held", "Peak, forward + backward",
       [](const Choice& choice) { return bytes_or_reason(choice.passes_peak, choice); }, unit,
       bytes},
      {"held_formula", "Formula, forward + backward", &Choice::expected_passes_peak, unit, bytes},
      {"peak", "Peak, training step",
       [](const Choice& choice) { return bytes_or_reason(choice.peak, choice); }, unit, bytes},
      {"formula", "Formula, training step", &Choice::expected_peak, unit, bytes},
      {"passes", "Forward + backward",
       [](const Choice& choice) { return mean_or_reason(choice.passes_ms, choice); }, "ms"},
      {"step", "Training step",
       [](const Choice& choice) { return mean_or_reason(choice.steps_ms, choice); }, "ms"},
      {"again", "Recomputation", [](const Choice& choice) { return Value(choice.recompute_ms); },
       "ms", kTime}};
  return only(std::move(all), [&](const auto& column) { return names.contains(column.name); });
}

/// A pass's peak in bytes, as measured and by the formula, or the GPU's memory.
struct PeakPoint {
  std::string blocks, pass;
  std::optional<double> measured, formula;
};

const std::vector<Column<PeakPoint>> kPoints{
    {"blocks", "Blocks per checkpoint", &PeakPoint::blocks},
    {"pass", "Pass", &PeakPoint::pass},
    {"measured", "Measured", [](const PeakPoint& point) { return Value(point.measured); }, "B"},
    {"formula", "Formula", [](const PeakPoint& point) { return Value(point.formula); }, "B"}};

std::vector<PeakPoint> points_of(const RunView& view, const CheckpointedNetwork& network) {
  std::vector<PeakPoint> points;
  for (const Choice& choice : network.choices) {
    if (has_training_step(network)) {
      points.push_back({choice.words(), "training step", choice.peak, choice.expected_peak()});
    }
    points.push_back({choice.words(), "forward and backward", choice.passes_peak,
                      choice.expected_passes_peak()});
    const Device* device = view.device();
    if (!view.on_gpu() || device == nullptr) continue;
    points.push_back({choice.words(), "memory of this GPU", std::nullopt,
                      static_cast<double>(device->memory_bytes)});
  }
  return points;
}

/// Returns "groups of 2 blocks", "single blocks" or "no checkpoints".
std::string group_words(const Choice& choice) {
  if (!choice.blocks()) return "no checkpoints";
  return *choice.blocks() == 1 ? "single blocks"
                               : "groups of " + format_plural(*choice.blocks(), "block");
}

/// Compares a choice with the best: "peak 5.96 GiB higher", "run out of memory in forward".
std::string outcome_words(const Choice& choice, const Choice& best) {
  if (choice.peak && *choice.peak > *best.peak)
    return "peak " + format_bytes_briefly(*choice.peak - *best.peak) + " higher";
  if (choice.peak) return "peak as high";
  if (choice.reason.starts_with("out of memory")) return "run " + choice.reason;
  return choice.reason.empty() ? "have no peak" : "have no peak: " + choice.reason;
}

std::optional<Facts> neighbor_facts(const Choice* choice, const Choice& best) {
  if (choice == nullptr) return std::nullopt;
  std::string name = group_words(*choice);
  name.front() = static_cast<char>(std::toupper(name.front()));
  return Facts()
      .set("Groups", name)
      .set("outcome", outcome_words(*choice, best))
      .flag("none", !choice->blocks());
}

std::int64_t checkpoint_count(const CheckpointedNetwork& network, std::int64_t group) {
  return (network.layers() + group - 1) / group;
}

double block_gradients(const CheckpointedNetwork& network) {
  return static_cast<double>(block_gradient_bytes(*network.spec.model));
}

/// True if, by the formula of section.md, backward peaks in its last group, when the gradients of
/// all other blocks exist; false if in its first group, when the inputs of all groups exist.
bool peaks_in_last_group(const CheckpointedNetwork& network, std::int64_t group) {
  const auto others = static_cast<double>(network.layers() - group);
  const double inputs =
      static_cast<double>(checkpoint_count(network, group)) * network.boundary_bytes();
  return others * block_gradients(network) + network.boundary_bytes() > inputs;
}

/// Returns the reason why checkpoints of single blocks are best. Returns nothing unless groups of
/// two peak higher by the residuals of a second block minus the bytes that such groups save.
std::optional<Facts> reason_facts(const CheckpointedNetwork& network, const Choice& best) {
  const Choice* groups_of_two = network.next_larger(best);
  if (best.blocks() != 1 || groups_of_two == nullptr || groups_of_two->blocks() != 2 ||
      !groups_of_two->peak || !network.residuals_are_measured()) {
    return std::nullopt;
  }
  const bool last = peaks_in_last_group(network, 1);
  if (last != peaks_in_last_group(network, 2)) return std::nullopt;
  const std::int64_t fewer_checkpoints =
      checkpoint_count(network, 1) - checkpoint_count(network, 2);
  const double saved_bytes =
      last ? block_gradients(network)
           : static_cast<double>(fewer_checkpoints) * network.boundary_bytes();
  const double extra_bytes = *groups_of_two->peak - *best.peak;
  if (extra_bytes <= 0 || saved_bytes >= network.block_bytes()) return std::nullopt;
  if (std::abs((network.block_bytes() - saved_bytes) / extra_bytes - 1) > kReasonTolerance)
    return std::nullopt;
  return Facts()
      .set("residuals", format_bytes_briefly(network.block_bytes()))
      .set("boundary", format_bytes_briefly(network.boundary_bytes()))
      .set("ratio", network.block_bytes() / network.boundary_bytes(), kRatio)
      .set("root", std::sqrt(static_cast<double>(network.layers())), kRatio)
      .set("saved", format_bytes_briefly(saved_bytes))
      .flag("last", last);
}

Facts network_facts(const CheckpointedNetwork& network) {
  double largest_error = 0;  // The formula's, relative to the measured peak.
  for (const Choice& choice : network.choices) {
    if (choice.passes_peak)
      largest_error = std::max(largest_error,
                               std::abs(choice.expected_passes_peak() / *choice.passes_peak - 1));
    if (choice.peak)
      largest_error = std::max(largest_error, std::abs(choice.expected_peak() / *choice.peak - 1));
  }
  const Choice& best = *network.best();
  const bool has_times = best.recompute_ms && !best.passes_ms.empty();
  return Facts()
      .set("words", network.words)
      .set("groups", group_words(best))
      .set("peak", format_bytes_briefly(*best.peak))
      .flag("step", has_training_step(network))
      .set("held", format_bytes_briefly(*best.passes_peak))
      .when("smaller", neighbor_facts(network.next_smaller(best), best))
      .when("larger", neighbor_facts(network.next_larger(best), best))
      .when("why", reason_facts(network, best))
      .when("again", has_times, "share",
            has_times ? format_percent(*best.recompute_ms / mean(best.passes_ms)) : "")
      .set("error", format_percent(largest_error));
}

/// Returns the choices whose losses differ from those of the first by more than rounding explains.
std::vector<Facts> diverging_losses(const CheckpointedNetwork& network) {
  std::vector<Facts> diverging;
  const auto first = std::ranges::find_if(
      network.choices, [](const Choice& choice) { return !choice.losses.empty(); });
  if (first == network.choices.end()) return diverging;
  for (const Choice& choice : network.choices) {
    double largest_difference = 0;
    for (std::size_t i = 0; i < std::min(choice.losses.size(), first->losses.size()); ++i) {
      largest_difference =
          std::max(largest_difference, std::abs(choice.losses[i] / first->losses[i] - 1));
    }
    if (largest_difference <= kLossTolerance) continue;
    diverging.emplace_back()
        .set("words", network.words)
        .set("groups", group_words(choice))
        .set("difference", largest_difference, {Notation::kPercent});
  }
  return diverging;
}

void add_datasets(PartContent& part, const RunView& view,
                  const std::vector<CheckpointedNetwork>& networks) {
  for (const CheckpointedNetwork& network : networks) {
    std::set<std::string_view> choice_columns{"blocks", "held", "held_formula", "passes"};
    std::set<std::string_view> cost_columns{"blocks", "saved", "again"};
    if (has_training_step(network)) {
      choice_columns = {"blocks", "held", "peak", "formula", "step"};
      cost_columns.insert({"held", "held_formula", "passes"});
    }
    for (Dataset dataset : {make_dataset("choices", columns(view, choice_columns), network.choices),
                            make_dataset("costs", columns(view, cost_columns), network.choices),
                            make_dataset("peaks", kPoints, points_of(view, network))}) {
      if (networks.size() > 1) dataset.variant = network.words;
      part.datasets.push_back(std::move(dataset));
    }
  }
}

PartContent block_size_part(const RunView& view, const std::vector<CheckpointedNetwork>& networks) {
  PartContent part;
  std::vector<Facts> ran, unfit, diverging;
  for (const CheckpointedNetwork& network : networks) {
    if (network.best() != nullptr) {
      ran.push_back(network_facts(network));
    } else {  // No choice has a peak, so the formula tells which choice needs the least memory.
      const auto smallest = std::ranges::min_element(network.choices, {}, &Choice::expected_peak);
      unfit.emplace_back()
          .set("words", network.words)
          .set("groups", group_words(*smallest))
          .set("formula", format_bytes_briefly(smallest->expected_peak()));
    }
    std::ranges::move(diverging_losses(network), std::back_inserter(diverging));
    for (const Choice& choice : network.choices) part.cells.push_back(choice.cell);
  }
  part.facts.list("networks", ran).list("unfit", unfit).list("apart", diverging);
  part.facts.flag("gpu", view.on_gpu());
  const CellSpec& spec = networks.front().spec;
  part.facts.flag("handouts", spec.size == "xl" && spec.batch == 4 && spec.context == 2048 &&
                                  spec.model->heads == 32);
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
  return {{"a", present_nested(networks)}, {"b", block_size_part(view, networks)}};
}

}  // namespace labreport::gradient_checkpointing
