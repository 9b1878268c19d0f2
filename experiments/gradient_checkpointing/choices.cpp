#include "experiments/gradient_checkpointing/choices.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::gradient_checkpointing {
namespace {

/// Returns the times of forward, loss and backward after the warm-up; empty if one was not timed.
std::vector<double> passes_ms_of(const TimedLaunch& timed) {
  std::vector<double> passes_ms = timed.ms_after_warmup(metric::kEvent, metric::kForward);
  for (const auto phase : {metric::kLoss, metric::kBackward}) {
    const std::vector<double> ms = timed.ms_after_warmup(metric::kEvent, phase);
    if (ms.size() != passes_ms.size()) return {};
    for (std::size_t i = 0; i < ms.size(); ++i) passes_ms[i] += ms[i];
  }
  return passes_ms;
}

/// Reads a cell. `passes_peak` may be known even if the training step ran out of memory.
Choice choice_of(const Cell& cell) {
  Choice choice{&cell, reason_missing(cell)};
  const Launch* launch = representative(cell);
  if (launch == nullptr) return choice;
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward}) {
    choice.passes_peak = std::max(choice.passes_peak, single_number(*launch, metric::kPeak, phase));
  }
  choice.peak = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  choice.saved_bytes = single_number(*launch, metric::kCheckpoints, metric::kSaved);
  choice.group_bytes = single_number(*launch, metric::kCheckpoints, metric::kRecomputedBytes);
  const TimedLaunch timed{&cell.spec, launch};
  choice.steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  choice.passes_ms = passes_ms_of(timed);
  choice.recompute_ms = single_milliseconds(*launch, metric::kStep, metric::kRecomputeTime);
  const Metric* losses = launch->find(metric::kLosses, metric::kTotal);
  if (losses != nullptr) choice.losses = losses->numbers();
  return choice;
}

double predicted_peak(CellSpec spec, Mode mode) {
  spec.mode = mode;
  return static_cast<double>(expected_peak(spec).total());
}

}  // namespace

std::string Choice::words() const { return blocks() ? format_count(*blocks()) : "none"; }

double Choice::expected_passes_peak() const {
  return predicted_peak(cell->spec, Mode::kForwardBackward);
}

double Choice::expected_peak() const { return predicted_peak(cell->spec, *cell->spec.mode); }

const Choice* CheckpointedNetwork::best() const {
  const Choice* best = nullptr;
  const auto peaks = [](const Choice& choice) {
    return std::pair(*choice.peak, *choice.passes_peak);
  };
  for (const Choice& choice : choices) {
    if (!choice.peak || !choice.passes_peak) continue;
    if (best == nullptr || peaks(choice) < peaks(*best)) best = &choice;
  }
  return best;
}

const Choice* CheckpointedNetwork::next_smaller(const Choice& choice) const {
  if (&choice == without_checkpoints()) return nullptr;
  return &choice == &choices.front() ? without_checkpoints() : &choice - 1;
}

const Choice* CheckpointedNetwork::next_larger(const Choice& choice) const {
  const Choice* next = &choice + 1;
  return &choice == &choices.back() || next == without_checkpoints() ? nullptr : next;
}

const Choice* CheckpointedNetwork::without_checkpoints() const {
  return choices.back().blocks() ? nullptr : &choices.back();
}

double CheckpointedNetwork::boundary_bytes() const {
  return static_cast<double>(residual_bytes(spec));
}

bool CheckpointedNetwork::residuals_are_measured() const {
  return choices.front().group_bytes.has_value();
}

double CheckpointedNetwork::block_bytes() const {
  const Choice& smallest = choices.front();
  return smallest.group_bytes
             ? *smallest.group_bytes / static_cast<double>(smallest.blocks().value_or(1))
             : static_cast<double>(saved_block_bytes(spec));
}

std::vector<CheckpointedNetwork> checkpointed_networks(const RunView& view) {
  std::vector<CheckpointedNetwork> networks;
  for (const Cell* cell : view.cells(CellKind::kCheckpointing)) {
    const CellSpec& spec = cell->spec;
    if (!spec.model || !spec.context || !spec.batch || !spec.precision || !spec.mode) continue;
    auto network = std::ranges::find_if(
        networks, [&](const CheckpointedNetwork& other) { return same_setting(other.spec, spec); });
    if (network == networks.end()) {
      const std::string words = spec.size + " at context " + format_count(*spec.context) + " in " +
                                std::string(describe(*spec.precision));
      network = networks.insert(network, {.spec = spec, .words = words, .choices = {}});
      network->spec.blocks_per_checkpoint.reset();
    }
    network->choices.push_back(choice_of(*cell));
  }
  for (CheckpointedNetwork& network : networks) {
    std::ranges::stable_sort(network.choices, {}, [&](const Choice& choice) {
      return choice.blocks().value_or(network.layers());
    });
  }
  return networks;
}

}  // namespace labreport::gradient_checkpointing
