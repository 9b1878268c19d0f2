// Part (b): one level of checkpoints, and how many blocks each should hold.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/gradient_checkpointing/parts.h"
#include "plan/memory.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kProblem = "gradient_checkpointing";
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kRatio{Notation::kSignificant, 3};
constexpr Notation kShare{Notation::kPercent};
constexpr std::string_view kOutOfMemory = "out of memory";  // begins the reason of what it ended
// GPUs sold with "80 GB" report up to 80 GiB; the rest is for CUDA's context and fragmentation.
constexpr double kUsualBytes = 80e9, kUsualMost = 80 * kBytesPerGibibyte;
constexpr double kAgree = 0.01;      // of losses: see section.md
constexpr double kAccounted = 0.02;  // A reason leaves no more of a difference unexplained.

bool has_step(const Checkpointed& network) { return network.spec.mode == Mode::kTrainStep; }

double relative(double expected, double measured) { return expected / measured - 1; }

Value bytes_or_reason(const std::optional<double>& bytes, const Choice& choice) {
  return bytes ? Value(*bytes) : Value::missing(choice.reason);
}

Value mean_or_reason(const std::vector<double>& ms, const Choice& choice) {
  return ms.empty() ? Value::missing(choice.reason) : Value::mean_of(ms);
}

/// How far the arithmetic is from the farther of a choice's peaks.
double error_of(const Choice& choice) {
  double error = 0;
  if (choice.held) error = std::abs(relative(choice.expected_held(), *choice.held));
  if (choice.peak)
    error = std::max(error, std::abs(relative(choice.expected_peak(), *choice.peak)));
  return error;
}

const char* unit_of(const RunView& view) { return view.on_gpu() ? "GiB" : "MiB"; }

Notation bytes_of(const RunView& view) {
  return {view.on_gpu() ? Notation::kGibibytes : Notation::kMebibytes};
}

using ChoiceColumns = std::vector<Column<Choice>>;

ChoiceColumns all_columns(const std::string& unit, const Notation& bytes) {
  return {{"blocks", "Blocks per checkpoint", &Choice::words},
          {"saved", "Saved for backward",
           [](const Choice& choice) { return bytes_or_reason(choice.saved, choice); }, unit, bytes},
          {"held", "Peak, forward + backward",
           [](const Choice& choice) { return bytes_or_reason(choice.held, choice); }, unit, bytes},
          {"held_formula", "Formula, forward + backward", &Choice::expected_held, unit, bytes},
          {"peak", "Peak, training step",
           [](const Choice& choice) { return bytes_or_reason(choice.peak, choice); }, unit, bytes},
          {"formula", "Formula, training step", &Choice::expected_peak, unit, bytes},
          {"passes", "Forward + backward",
           [](const Choice& choice) { return mean_or_reason(choice.passes_ms, choice); }, "ms"},
          {"step", "Training step",
           [](const Choice& choice) { return mean_or_reason(choice.steps_ms, choice); }, "ms"},
          {"again", "Recomputation", [](const Choice& choice) { return Value(choice.again_ms); },
           "ms", kTime}};
}

ChoiceColumns columns(const RunView& view, const std::set<std::string_view>& names) {
  return only(all_columns(unit_of(view), bytes_of(view)),
              [&](const auto& column) { return names.contains(column.name); });
}

/// Peaks beside the formula's, and what a step takes.
ChoiceColumns answer_columns(const RunView& view, const Checkpointed& network) {
  if (!has_step(network)) return columns(view, {"blocks", "held", "held_formula", "passes"});
  return columns(view, {"blocks", "held", "peak", "formula", "step"});
}

ChoiceColumns cost_columns(const RunView& view, const Checkpointed& network) {
  if (!has_step(network)) return columns(view, {"blocks", "saved", "again"});
  return columns(view, {"blocks", "saved", "held", "held_formula", "passes", "again"});
}

/// A measured peak and the formula's, of one of both meanings; or the GPU's memory.
struct Point {
  std::string blocks, pass;
  std::optional<double> measured, formula;
};

const std::vector<Column<Point>> kPoints{
    {"blocks", "Blocks per checkpoint", &Point::blocks},
    {"pass", "Pass", &Point::pass},
    {"measured", "Measured", [](const Point& point) { return Value(point.measured); }, "B"},
    {"formula", "Formula", [](const Point& point) { return Value(point.formula); }, "B"}};

std::vector<Point> points_of(const RunView& view, const Checkpointed& network) {
  std::vector<Point> points;
  for (const Choice& choice : network.choices) {
    if (has_step(network)) {
      points.push_back({choice.words(), "training step", choice.peak, choice.expected_peak()});
    }
    points.push_back({choice.words(), "forward and backward", choice.held, choice.expected_held()});
    const Device* device = view.device();
    if (!view.on_gpu() || device == nullptr) continue;
    points.push_back({choice.words(), "memory of this GPU", std::nullopt,
                      static_cast<double>(device->memory_bytes)});
  }
  return points;
}

/// "groups of 2 blocks"; "no checkpoints"
std::string groups(const Choice& choice) {
  if (!choice.blocks()) return "no checkpoints";
  return *choice.blocks() == 1 ? "single blocks"
                               : "groups of " + format_plural(*choice.blocks(), "block");
}

/// A neighbor of the best: how much higher it peaks, or that it does not fit.
Facts neighbor(const Choice& choice, const Choice& best) {
  Facts facts;
  facts.set("groups", groups(choice)).flag("none", !choice.blocks());
  facts.set("formula", format_bytes(choice.expected_peak()));
  facts.set("reason", choice.reason);
  const bool higher = choice.peak && *choice.peak > *best.peak;
  facts.when("higher", higher,
             higher ? Facts()
                          .set("peak", format_bytes(*choice.peak))
                          .set("more", format_bytes(*choice.peak - *best.peak))
                    : Facts());
  facts.flag("alike", choice.peak && !higher);
  const bool refused = choice.reason.starts_with(kOutOfMemory);
  facts.flag("refused", !choice.peak && refused).flag("missing", !choice.peak && !refused);
  return facts;
}

std::int64_t boundaries(const Checkpointed& network, std::int64_t group) {
  return (network.layers() + group - 1) / group;
}

double gradients(const Checkpointed& network) {
  return static_cast<double>(block_gradient_bytes(*network.spec.model));
}

/// Where backward peaks (section.md's formula): at its last group, beside the gradients of all
/// other blocks; else at its first, beside the inputs of all groups.
bool peaks_at_last(const Checkpointed& network, std::int64_t group) {
  const auto others = static_cast<double>(network.layers() - group);
  const double inputs = static_cast<double>(boundaries(network, group)) * network.boundary();
  return others * gradients(network) + network.boundary() > inputs;
}

/// What groups of two save at that peak; nothing where theirs lies elsewhere than single blocks'.
std::optional<double> saved_by_pairs(const Checkpointed& network) {
  const bool last = peaks_at_last(network, 1);
  if (last != peaks_at_last(network, 2)) return std::nullopt;
  const std::int64_t fewer = boundaries(network, 1) - boundaries(network, 2);
  return last ? gradients(network) : static_cast<double>(fewer) * network.boundary();
}

/// How much higher groups of two peak: as measured, by the arithmetic where they had no room.
double higher_by(const Choice& pairs, const Choice& best) {
  return pairs.peak ? *pairs.peak - *best.peak : pairs.expected_peak() - best.expected_peak();
}

/// Why single blocks are best, where what groups of two add and save accounts for their peak.
std::optional<Facts> because(const Checkpointed& network, const Choice& best,
                             const Notation& bytes) {
  const Choice* pairs = network.larger(best);
  if (best.blocks() != 1 || pairs == nullptr || pairs->blocks() != 2) return std::nullopt;
  const std::optional<double> saved = saved_by_pairs(network);
  if (!saved) return std::nullopt;
  const double higher = higher_by(*pairs, best), added = network.residuals() - *saved;
  if (higher <= 0 || std::abs(added / higher - 1) > kAccounted) return std::nullopt;
  Facts facts;
  facts.set("residuals", network.residuals(), bytes);
  facts.set("boundary", format_bytes(network.boundary()));
  facts.set("ratio", network.residuals() / network.boundary(), kRatio);
  facts.set("root", std::sqrt(static_cast<double>(network.layers())), kRatio);
  facts.set("saved", *saved, bytes).flag("last", peaks_at_last(network, 1));
  return facts;
}

std::optional<Facts> time_of(const Checkpointed& network, const Choice& best) {
  if (!best.again_ms || best.passes_ms.empty() || !best.forward_ms) return std::nullopt;
  const double passes = mean(best.passes_ms);
  Facts facts;
  facts.set("again", *best.again_ms, kTime).set("share", *best.again_ms / passes, kShare);
  facts.set("passes", passes, kTime).set("forward", *best.forward_ms, kTime);
  const Choice* plain = network.plain();
  const bool ran = plain != nullptr && !plain->passes_ms.empty();
  facts.when("plain", ran,
             ran ? Facts()
                       .set("plain_ms", mean(plain->passes_ms), kTime)
                       .set("slower", passes / mean(plain->passes_ms), kRatio)
                 : Facts());
  return facts;
}

double largest_error(const Checkpointed& network) {
  double largest = 0;
  for (const Choice& choice : network.choices) largest = std::max(largest, error_of(choice));
  return largest;
}

/// Weights, their gradients, and AdamW's moments.
double states(const Checkpointed& network) {
  const ModelShape& shape = *network.spec.model;
  return static_cast<double>(2 * parameter_bytes(shape) + moment_bytes(shape));
}

/// Which choices 80 GB would hold, where this GPU has more.
std::optional<Facts> usual_gpu(const RunView& view, const Checkpointed& network) {
  const Device* device = view.device();
  if (!view.on_gpu() || device == nullptr || !has_step(network)) return std::nullopt;
  if (static_cast<double>(device->memory_bytes) <= kUsualMost) return std::nullopt;
  std::vector<std::string> fit;
  for (const Choice& choice : network.choices) {
    if (choice.blocks() && choice.expected_peak() <= kUsualBytes) fit.push_back(choice.words());
  }
  const bool plain = network.plain() != nullptr && network.plain()->expected_peak() <= kUsualBytes;
  if (fit.empty() || plain) return std::nullopt;
  const bool one = fit.size() == 1 && fit.front() == "1";
  return Facts().set("fit", join_words(fit) + (one ? " block" : " blocks"));
}

Facts network_facts(const RunView& view, const Checkpointed& network) {
  const Choice& best = *network.best();
  Facts facts;
  facts.set("words", network.words).set("groups", groups(best));
  facts.set("peak", format_bytes(*best.peak)).set("held", format_bytes(*best.held));
  facts.flag("step", has_step(network));
  const Choice *smaller = network.smaller(best), *larger = network.larger(best);
  facts.when("smaller",
             smaller != nullptr ? std::optional(neighbor(*smaller, best)) : std::nullopt);
  facts.when("larger", larger != nullptr ? std::optional(neighbor(*larger, best)) : std::nullopt);
  facts.set("unit", unit_of(view)).when("why", because(network, best, bytes_of(view)));
  facts.when("time", time_of(network, best));
  facts.set("error", largest_error(network), kShare).set("states", format_bytes(states(network)));
  facts.when("usual_gpu", usual_gpu(view, network));
  return facts;
}

/// Where nothing peaks within memory: the least that the arithmetic asks for.
Facts unfit_facts(const Checkpointed& network) {
  const auto least = std::ranges::min_element(network.choices, {}, &Choice::expected_peak);
  return Facts()
      .set("words", network.words)
      .set("groups", groups(*least))
      .set("reason", least->reason)
      .set("formula", format_bytes(least->expected_peak()));
}

/// Choices whose losses leave the first's by more than rounding explains: they would not have
/// computed the same.
std::vector<Facts> apart(const Checkpointed& network) {
  std::vector<Facts> found;
  const auto first = std::ranges::find_if(
      network.choices, [](const Choice& choice) { return !choice.losses.empty(); });
  if (first == network.choices.end()) return found;
  for (const Choice& choice : network.choices) {
    double most = 0;
    for (std::size_t i = 0; i < std::min(choice.losses.size(), first->losses.size()); ++i) {
      most = std::max(most, std::abs(choice.losses[i] / first->losses[i] - 1));
    }
    if (most <= kAgree) continue;
    found.push_back(Facts()
                        .set("words", network.words)
                        .set("groups", groups(choice))
                        .set("difference", most, {Notation::kPercent}));
  }
  return found;
}

/// What the handout's worked example is compared with.
bool is_handouts(const CellSpec& spec) {
  return spec.size == "xl" && spec.batch == 4 && spec.context == 2048 && spec.model->heads == 32;
}

void add_datasets(PartContent& part, const RunView& view,
                  const std::vector<Checkpointed>& networks) {
  for (const Checkpointed& network : networks) {
    std::vector<Dataset> own{
        make_dataset("choices", answer_columns(view, network), network.choices),
        make_dataset("costs", cost_columns(view, network), network.choices),
        make_dataset("peaks", kPoints, points_of(view, network))};
    for (Dataset& dataset : own) {
      if (networks.size() > 1) dataset.variant = network.words;
      part.datasets.push_back(std::move(dataset));
    }
  }
}

}  // namespace

PartContent present_block_size(const RunView& view, const std::vector<Checkpointed>& networks) {
  PartContent part;
  std::vector<Facts> ran, unfit, parting;
  std::vector<NamedCell> named;
  for (const Checkpointed& network : networks) {
    if (network.best() != nullptr) ran.push_back(network_facts(view, network));
    if (network.best() == nullptr) unfit.push_back(unfit_facts(network));
    std::ranges::move(apart(network), std::back_inserter(parting));
    named.push_back({network.words, network.choices.front().cell});
    for (const Choice& choice : network.choices) part.cells.push_back(choice.cell);
  }
  part.facts.list("networks", ran).list("unfit", unfit).list("apart", parting);
  part.facts.flag("gpu", view.on_gpu());
  const CellSpec& spec = networks.front().spec;
  part.facts.flag("handouts", is_handouts(spec));
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  add_datasets(part, view, networks);
  part.details.tables = {commands_table(view.run(), kProblem, named)};
  return part;
}

}  // namespace labreport::gradient_checkpointing
