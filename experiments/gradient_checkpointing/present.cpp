// Builds the datasets and facts of part (b): how many blocks each checkpoint should hold.
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
constexpr double kAgree = 0.01;      // The largest relative difference of losses from rounding.
constexpr double kAccounted = 0.02;  // The share of a difference that a reason may not explain.

bool has_step(const CheckpointedNetwork& network) { return network.spec.mode == Mode::kTrainStep; }

Value bytes_or_reason(const std::optional<double>& bytes, const Choice& choice) {
  return bytes ? Value(*bytes) : Value::missing(choice.reason);
}

Value mean_or_reason(const std::vector<double>& ms, const Choice& choice) {
  return ms.empty() ? Value::missing(choice.reason) : Value::mean_of(ms);
}

/// The columns with these names. Bytes are in GiB for a GPU and in MiB for a CPU.
std::vector<Column<Choice>> columns(const RunView& view, const std::set<std::string_view>& names) {
  const std::string unit = view.on_gpu() ? "GiB" : "MiB";
  const Notation bytes{view.on_gpu() ? Notation::kGibibytes : Notation::kMebibytes};
  std::vector<Column<Choice>> all{
      {"blocks", "Blocks per checkpoint", &Choice::words},
      {"saved", "Saved for backward",
       [](const Choice& choice) { return bytes_or_reason(choice.saved_bytes, choice); }, unit, bytes},
      {"held", "Peak, forward + backward",
       [](const Choice& choice) { return bytes_or_reason(choice.passes_peak, choice); }, unit, bytes},
      {"held_formula", "Formula, forward + backward", &Choice::expected_passes_peak, unit, bytes},
      {"peak", "Peak, training step",
       [](const Choice& choice) { return bytes_or_reason(choice.peak, choice); }, unit, bytes},
      {"formula", "Formula, training step", &Choice::expected_peak, unit, bytes},
      {"passes", "Forward + backward",
       [](const Choice& choice) { return mean_or_reason(choice.passes_ms, choice); }, "ms"},
      {"step", "Training step",
       [](const Choice& choice) { return mean_or_reason(choice.steps_ms, choice); }, "ms"},
      {"again", "Recomputation", [](const Choice& choice) { return Value(choice.recompute_ms); }, "ms",
       kTime}};
  return only(std::move(all), [&](const auto& column) { return names.contains(column.name); });
}

/// The peak of a pass in bytes, as measured and by the formula; or the GPU's memory.
struct Point {
  std::string blocks, pass;
  std::optional<double> measured, formula;
};

const std::vector<Column<Point>> kPoints{
    {"blocks", "Blocks per checkpoint", &Point::blocks},
    {"pass", "Pass", &Point::pass},
    {"measured", "Measured", [](const Point& point) { return Value(point.measured); }, "B"},
    {"formula", "Formula", [](const Point& point) { return Value(point.formula); }, "B"}};

std::vector<Point> points_of(const RunView& view, const CheckpointedNetwork& network) {
  std::vector<Point> points;
  for (const Choice& choice : network.choices) {
    if (has_step(network)) {
      points.push_back({choice.words(), "training step", choice.peak, choice.expected_peak()});
    }
    points.push_back({choice.words(), "forward and backward", choice.passes_peak, choice.expected_passes_peak()});
    const Device* device = view.device();
    if (!view.on_gpu() || device == nullptr) continue;
    points.push_back({choice.words(), "memory of this GPU", std::nullopt,
                      static_cast<double>(device->memory_bytes)});
  }
  return points;
}

/// "groups of 2 blocks", "single blocks", "no checkpoints".
std::string groups(const Choice& choice) {
  if (!choice.blocks()) return "no checkpoints";
  return *choice.blocks() == 1 ? "single blocks"
                               : "groups of " + format_plural(*choice.blocks(), "block");
}

/// Compares a choice with the best: "peak 5.96 GiB higher", "run out of memory in forward".
std::string outcome(const Choice& choice, const Choice& best) {
  if (choice.peak && *choice.peak > *best.peak)
    return "peak " + format_bytes_briefly(*choice.peak - *best.peak) + " higher";
  if (choice.peak) return "peak as high";
  if (choice.reason.starts_with("out of memory")) return "run " + choice.reason;
  return choice.reason.empty() ? "have no peak" : "have no peak: " + choice.reason;
}

std::optional<Facts> neighbor(const Choice* choice, const Choice& best) {
  if (choice == nullptr) return std::nullopt;
  std::string name = groups(*choice);
  name.front() = static_cast<char>(std::toupper(name.front()));
  return Facts()
      .set("Groups", name)
      .set("outcome", outcome(*choice, best))
      .flag("none", !choice->blocks());
}

std::int64_t boundaries(const CheckpointedNetwork& network, std::int64_t group) {
  return (network.layers() + group - 1) / group;
}

double gradients(const CheckpointedNetwork& network) {
  return static_cast<double>(block_gradient_bytes(*network.spec.model));
}

/// True if, by the formula of section.md, backward peaks in the last group that it reaches, where
/// the gradients of all other blocks exist; false if in the first, where all groups' inputs do.
bool peaks_at_last(const CheckpointedNetwork& network, std::int64_t group) {
  const auto others = static_cast<double>(network.layers() - group);
  const double inputs = static_cast<double>(boundaries(network, group)) * network.boundary_bytes();
  return others * gradients(network) + network.boundary_bytes() > inputs;
}

/// The reason why checkpoints of single blocks are best. Nothing unless groups of two have a higher
/// peak, which the residuals that they add minus the bytes that they save explain.
std::optional<Facts> because(const CheckpointedNetwork& network, const Choice& best) {
  const Choice* pairs = network.next_larger(best);
  if (best.blocks() != 1 || pairs == nullptr || pairs->blocks() != 2 || !pairs->peak ||
      !network.residuals_are_measured()) {
    return std::nullopt;
  }
  const bool last = peaks_at_last(network, 1);
  if (last != peaks_at_last(network, 2)) return std::nullopt;
  const std::int64_t fewer = boundaries(network, 1) - boundaries(network, 2);
  const double saved = last ? gradients(network) : static_cast<double>(fewer) * network.boundary_bytes();
  const double higher = *pairs->peak - *best.peak;
  if (higher <= 0 || saved >= network.block_residual_bytes()) return std::nullopt;
  if (std::abs((network.block_residual_bytes() - saved) / higher - 1) > kAccounted) return std::nullopt;
  return Facts()
      .set("residuals", format_bytes_briefly(network.block_residual_bytes()))
      .set("boundary", format_bytes_briefly(network.boundary_bytes()))
      .set("ratio", network.block_residual_bytes() / network.boundary_bytes(), kRatio)
      .set("root", std::sqrt(static_cast<double>(network.layers())), kRatio)
      .set("saved", format_bytes_briefly(saved))
      .flag("last", last);
}

Facts network_facts(const CheckpointedNetwork& network) {
  double error = 0;  // the formula's largest relative error
  for (const Choice& choice : network.choices) {
    if (choice.passes_peak) error = std::max(error, std::abs(choice.expected_passes_peak() / *choice.passes_peak - 1));
    if (choice.peak) error = std::max(error, std::abs(choice.expected_peak() / *choice.peak - 1));
  }
  const Choice& best = *network.best();
  const bool timed = best.recompute_ms && !best.passes_ms.empty();
  return Facts()
      .set("words", network.words)
      .set("groups", groups(best))
      .set("peak", format_bytes_briefly(*best.peak))
      .flag("step", has_step(network))
      .set("held", format_bytes_briefly(*best.passes_peak))
      .when("smaller", neighbor(network.next_smaller(best), best))
      .when("larger", neighbor(network.next_larger(best), best))
      .when("why", because(network, best))
      .when("again", timed, "share",
            timed ? format_percent(*best.recompute_ms / mean(best.passes_ms)) : "")
      .set("error", format_percent(error));
}

/// Choices whose losses differ from the first choice's by more than rounding explains.
std::vector<Facts> diverging_losses(const CheckpointedNetwork& network) {
  std::vector<Facts> diverging;
  const auto first = std::ranges::find_if(
      network.choices, [](const Choice& choice) { return !choice.losses.empty(); });
  if (first == network.choices.end()) return diverging;
  for (const Choice& choice : network.choices) {
    double most = 0;
    for (std::size_t i = 0; i < std::min(choice.losses.size(), first->losses.size()); ++i) {
      most = std::max(most, std::abs(choice.losses[i] / first->losses[i] - 1));
    }
    if (most <= kAgree) continue;
    diverging.emplace_back()
        .set("words", network.words)
        .set("groups", groups(choice))
        .set("difference", most, {Notation::kPercent});
  }
  return diverging;
}

void add_datasets(PartContent& part, const RunView& view,
                  const std::vector<CheckpointedNetwork>& networks) {
  for (const CheckpointedNetwork& network : networks) {
    std::set<std::string_view> choices{"blocks", "held", "held_formula", "passes"};
    std::set<std::string_view> costs{"blocks", "saved", "again"};
    if (has_step(network)) {
      choices = {"blocks", "held", "peak", "formula", "step"};
      costs.insert({"held", "held_formula", "passes"});
    }
    for (Dataset dataset : {make_dataset("choices", columns(view, choices), network.choices),
                            make_dataset("costs", columns(view, costs), network.choices),
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
    } else {  // No choice fit, so the formula tells which choice needs the least memory.
      const auto least = std::ranges::min_element(network.choices, {}, &Choice::expected_peak);
      unfit.emplace_back()
          .set("words", network.words)
          .set("groups", groups(*least))
          .set("formula", format_bytes_briefly(least->expected_peak()));
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
