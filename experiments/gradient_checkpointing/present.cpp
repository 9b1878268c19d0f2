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
#include "experiments/gradient_checkpointing/spacings.h"
#include "experiments/problems.h"
#include "plan/memory.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kProblem = "gradient_checkpointing";
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kRatio{Notation::kSignificant, 3};
constexpr double kLossTolerance = 0.01;    // Rounding explains a relative difference up to this.
constexpr double kReasonTolerance = 0.02;  // The reason may miss a difference by this fraction.

bool has_training_step(const CheckpointedNetwork& network) {
  return network.spec.mode == Mode::kTrainStep;
}

Value bytes_or_reason(const std::optional<double>& bytes, const Spacing& spacing) {
  return bytes ? Value(*bytes) : Value::missing(spacing.reason);
}

Value mean_or_reason(const std::vector<double>& ms, const Spacing& spacing) {
  return ms.empty() ? Value::missing(spacing.reason) : Value::mean_of(ms);
}

/// Returns the columns with these names. Bytes are in GiB for a GPU and in MiB for a CPU.
std::vector<Column<Spacing>> columns(const RunView& view, const std::set<std::string_view>& names) {
  const std::string unit = view.on_gpu() ? "GiB" : "MiB";
  const Notation bytes{view.on_gpu() ? Notation::kGibibytes : Notation::kMebibytes};
  std::vector<Column<Spacing>> all{
      {"blocks", "Blocks per checkpoint", &Spacing::words},
      {"saved", "Saved for backward",
       [](const Spacing& spacing) { return bytes_or_reason(spacing.saved_bytes, spacing); }, unit,
       bytes},
      {"forward_backward_peak", "Peak, forward + backward",
       [](const Spacing& spacing) {
         return bytes_or_reason(spacing.forward_backward_peak, spacing);
       },
       unit, bytes},
      {"forward_backward_formula", "Formula, forward + backward",
       &Spacing::expected_forward_backward_peak, unit, bytes},
      {"peak", "Peak, training step",
       [](const Spacing& spacing) { return bytes_or_reason(spacing.peak, spacing); }, unit, bytes},
      {"formula", "Formula, training step", &Spacing::expected_peak, unit, bytes},
      {"passes", "Forward + backward",
       [](const Spacing& spacing) { return mean_or_reason(spacing.forward_backward_ms, spacing); },
       "ms"},
      {"step", "Training step",
       [](const Spacing& spacing) { return mean_or_reason(spacing.steps_ms, spacing); }, "ms"},
      {"again", "Recomputation", [](const Spacing& spacing) { return Value(spacing.recompute_ms); },
       "ms", kTime}};
  return only(std::move(all), [&](const auto& column) { return names.contains(column.name); });
}

/// A point of the figure: a peak in bytes, measured and by the formula, or the GPU's memory.
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
  for (const Spacing& spacing : network.spacings) {
    if (has_training_step(network)) {
      points.push_back({spacing.words(), "training step", spacing.peak, spacing.expected_peak()});
    }
    points.push_back({spacing.words(), "forward and backward", spacing.forward_backward_peak,
                      spacing.expected_forward_backward_peak()});
    const Device* device = view.device();
    if (!view.on_gpu() || device == nullptr) continue;
    points.push_back({spacing.words(), "memory of this GPU", std::nullopt,
                      static_cast<double>(device->memory_bytes)});
  }
  return points;
}

/// Returns "groups of 2 blocks", "single blocks" or "no checkpoints".
std::string group_words(const Spacing& spacing) {
  if (!spacing.blocks()) return "no checkpoints";
  return *spacing.blocks() == 1 ? "single blocks"
                                : "groups of " + format_plural(*spacing.blocks(), "block");
}

/// Compares a spacing with the best: "peak 5.96 GiB higher", "run out of memory in forward".
std::string outcome_words(const Spacing& spacing, const Spacing& best) {
  if (spacing.peak && *spacing.peak > *best.peak)
    return "peak " + format_bytes_briefly(*spacing.peak - *best.peak) + " higher";
  if (spacing.peak) return "peak as high";
  if (spacing.reason.starts_with("out of memory")) return "run " + spacing.reason;
  return spacing.reason.empty() ? "have no peak" : "have no peak: " + spacing.reason;
}

std::optional<Facts> neighbor_facts(const Spacing* spacing, const Spacing& best) {
  if (spacing == nullptr) return std::nullopt;
  std::string name = group_words(*spacing);
  name.front() = static_cast<char>(std::toupper(name.front()));
  return Facts()
      .set("Groups", name)
      .set("outcome", outcome_words(*spacing, best))
      .flag("none", !spacing->blocks());
}

std::int64_t checkpoint_count(const CheckpointedNetwork& network, std::int64_t group_size) {
  return (network.layers() + group_size - 1) / group_size;
}

double gradient_bytes_per_block(const CheckpointedNetwork& network) {
  return static_cast<double>(block_gradient_bytes(*network.spec.model));
}

/// True if, by the formula of section.md, backward peaks in its last group, when the gradients of
/// all other blocks exist; false if in its first group, when the inputs of all groups exist.
bool peaks_in_last_group(const CheckpointedNetwork& network, std::int64_t group_size) {
  const auto other_blocks = static_cast<double>(network.layers() - group_size);
  const double input_bytes =
      static_cast<double>(checkpoint_count(network, group_size)) * network.boundary_bytes();
  return other_blocks * gradient_bytes_per_block(network) + network.boundary_bytes() > input_bytes;
}

/// Returns the reason why checkpoints of single blocks are best. Returns nothing unless groups of
/// two peak higher by the residuals of a second block minus the bytes that such groups spare.
std::optional<Facts> reason_facts(const CheckpointedNetwork& network, const Spacing& best) {
  const Spacing* groups_of_two = network.with_larger_groups(best);
  if (best.blocks() != 1 || groups_of_two == nullptr || groups_of_two->blocks() != 2 ||
      !groups_of_two->peak || !network.block_bytes_are_measured()) {
    return std::nullopt;
  }
  const bool in_last_group = peaks_in_last_group(network, 1);
  if (in_last_group != peaks_in_last_group(network, 2)) return std::nullopt;
  const std::int64_t fewer_checkpoints =
      checkpoint_count(network, 1) - checkpoint_count(network, 2);
  const double spared_bytes =
      in_last_group ? gradient_bytes_per_block(network)
                    : static_cast<double>(fewer_checkpoints) * network.boundary_bytes();
  const double extra_bytes = *groups_of_two->peak - *best.peak;
  if (extra_bytes <= 0 || spared_bytes >= network.block_bytes()) return std::nullopt;
  if (std::abs((network.block_bytes() - spared_bytes) / extra_bytes - 1) > kReasonTolerance)
    return std::nullopt;
  return Facts()
      .set("residuals", format_bytes_briefly(network.block_bytes()))
      .set("boundary", format_bytes_briefly(network.boundary_bytes()))
      .set("ratio", network.block_bytes() / network.boundary_bytes(), kRatio)
      .set("root", std::sqrt(static_cast<double>(network.layers())), kRatio)
      .set("saved", format_bytes_briefly(spared_bytes))
      .flag("last", in_last_group);
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
  const Spacing& best = *network.best();
  const bool has_times = best.recompute_ms && !best.forward_backward_ms.empty();
  return Facts()
      .set("words", network.words)
      .set("groups", group_words(best))
      .set("peak", format_bytes_briefly(*best.peak))
      .flag("step", has_training_step(network))
      .set("forward_backward_peak", format_bytes_briefly(*best.forward_backward_peak))
      .when("smaller", neighbor_facts(network.with_smaller_groups(best), best))
      .when("larger", neighbor_facts(network.with_larger_groups(best), best))
      .when("why", reason_facts(network, best))
      .when("recomputation", has_times, "share",
            has_times ? format_percent(*best.recompute_ms / mean(best.forward_backward_ms)) : "")
      .set("error", format_percent(largest_error));
}

/// Returns the spacings whose losses differ by more than rounding explains from the first losses.
std::vector<Facts> diverging_losses(const CheckpointedNetwork& network) {
  std::vector<Facts> diverging;
  const auto first = std::ranges::find_if(
      network.spacings, [](const Spacing& spacing) { return !spacing.losses.empty(); });
  if (first == network.spacings.end()) return diverging;
  for (const Spacing& spacing : network.spacings) {
    double largest_difference = 0;
    for (std::size_t i = 0; i < std::min(spacing.losses.size(), first->losses.size()); ++i) {
      largest_difference =
          std::max(largest_difference, std::abs(spacing.losses[i] / first->losses[i] - 1));
    }
    if (largest_difference <= kLossTolerance) continue;
    diverging.emplace_back()
        .set("words", network.words)
        .set("groups", group_words(spacing))
        .set("difference", largest_difference, {Notation::kPercent});
  }
  return diverging;
}

void add_datasets(PartContent& part, const RunView& view,
                  const std::vector<CheckpointedNetwork>& networks) {
  for (const CheckpointedNetwork& network : networks) {
    std::set<std::string_view> main_columns{"blocks", "forward_backward_peak",
                                            "forward_backward_formula", "passes"};
    std::set<std::string_view> cost_columns{"blocks", "saved", "again"};
    if (has_training_step(network)) {
      main_columns = {"blocks", "forward_backward_peak", "peak", "formula", "step"};
      cost_columns.insert({"forward_backward_peak", "forward_backward_formula", "passes"});
    }
    for (Dataset dataset : {make_dataset("choices", columns(view, main_columns), network.spacings),
                            make_dataset("costs", columns(view, cost_columns), network.spacings),
                            make_dataset("peaks", kPoints, points_of(view, network))}) {
      if (networks.size() > 1) dataset.variant = network.words;
      part.datasets.push_back(std::move(dataset));
    }
  }
}

PartContent spacing_part(const RunView& view, const std::vector<CheckpointedNetwork>& networks) {
  PartContent part;
  std::vector<Facts> answers, none_fits, diverging;
  for (const CheckpointedNetwork& network : networks) {
    if (network.best() != nullptr) {
      answers.push_back(network_facts(network));
    } else {  // No spacing has a peak, so the formula tells which spacing needs the least memory.
      const auto smallest = std::ranges::min_element(network.spacings, {}, &Spacing::expected_peak);
      none_fits.emplace_back()
          .set("words", network.words)
          .set("groups", group_words(*smallest))
          .set("formula", format_bytes_briefly(smallest->expected_peak()));
    }
    std::ranges::move(diverging_losses(network), std::back_inserter(diverging));
    for (const Spacing& spacing : network.spacings) part.cells.push_back(spacing.cell);
  }
  part.facts.list("networks", answers).list("none_fits", none_fits).list("apart", diverging);
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
  return {{"a", present_nested(networks)}, {"b", spacing_part(view, networks)}};
}

}  // namespace labreport::gradient_checkpointing
