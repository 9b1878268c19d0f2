#include "experiments/gradient_checkpointing/spacings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr double kLossTolerance = 0.01;  // Rounding explains a relative difference up to this.

/// Returns the times of forward, loss and backward after the warm-up; empty if one was not timed.
std::vector<double> forward_backward_ms_of(const TimedLaunch& timed) {
  std::vector<double> forward_backward_ms = timed.ms_after_warmup(metric::kEvent, metric::kForward);
  for (const auto phase : {metric::kLoss, metric::kBackward}) {
    const std::vector<double> ms = timed.ms_after_warmup(metric::kEvent, phase);
    if (ms.size() != forward_backward_ms.size()) return {};
    for (std::size_t i = 0; i < ms.size(); ++i) forward_backward_ms[i] += ms[i];
  }
  return forward_backward_ms;
}

/// Reads a cell. `forward_backward_peak` may be known even if the training step ran out of memory.
Spacing spacing_of(const Cell& cell) {
  Spacing spacing{&cell, reason_missing(cell)};
  const Launch* launch = representative(cell);
  if (launch == nullptr) return spacing;
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward}) {
    spacing.forward_backward_peak =
        std::max(spacing.forward_backward_peak, single_number(*launch, metric::kPeak, phase));
  }
  spacing.peak = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  spacing.saved_bytes = single_number(*launch, metric::kCheckpoints, metric::kSaved);
  spacing.recomputed_bytes = single_number(*launch, metric::kCheckpoints, metric::kRecomputedBytes);
  const TimedLaunch timed{&cell.spec, launch};
  spacing.steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  spacing.forward_backward_ms = forward_backward_ms_of(timed);
  spacing.forward_ms = timed.ms_after_warmup(metric::kEvent, metric::kForward);
  spacing.recompute_ms = single_milliseconds(*launch, metric::kStep, metric::kRecomputeTime);
  const Metric* losses = launch->find(metric::kLosses, metric::kTotal);
  if (losses != nullptr) spacing.losses = losses->numbers();
  return spacing;
}

/// Flags spacings whose losses differ by more than rounding explains from the first losses.
void flag_diverging_losses(std::vector<Spacing>& spacings) {
  const auto first = std::ranges::find_if(
      spacings, [](const Spacing& spacing) { return !spacing.losses.empty(); });
  for (auto spacing = first; spacing != spacings.end(); ++spacing) {
    double largest_difference = 0;
    for (std::size_t i = 0; i < std::min(spacing->losses.size(), first->losses.size()); ++i) {
      largest_difference =
          std::max(largest_difference, std::abs(spacing->losses[i] / first->losses[i] - 1));
    }
    if (largest_difference > kLossTolerance)
      spacing->flags = {"the loss differs by " + format_percent(largest_difference) + " %"};
  }
}

double expected_peak_in(Mode mode, CellSpec spec) {
  spec.mode = mode;
  return static_cast<double>(expected_peak(spec).total());
}

}  // namespace

std::string Spacing::words() const { return blocks() ? format_count(*blocks()) : "none"; }

double Spacing::expected_forward_backward_peak() const {
  return expected_peak_in(Mode::kForwardBackward, cell->spec);
}

double Spacing::expected_peak() const { return expected_peak_in(*cell->spec.mode, cell->spec); }

const Spacing* CheckpointedNetwork::best() const {
  const Spacing* best = nullptr;
  const auto peaks = [](const Spacing& spacing) {
    return std::pair(*spacing.peak, *spacing.forward_backward_peak);
  };
  for (const Spacing& spacing : spacings) {
    if (!spacing.peak || !spacing.forward_backward_peak) continue;
    if (best == nullptr || peaks(spacing) < peaks(*best)) best = &spacing;
  }
  return best;
}

const Spacing* CheckpointedNetwork::with_smaller_groups(const Spacing& spacing) const {
  if (&spacing == without_checkpoints()) return nullptr;
  return &spacing == &spacings.front() ? without_checkpoints() : &spacing - 1;
}

const Spacing* CheckpointedNetwork::with_larger_groups(const Spacing& spacing) const {
  const Spacing* next = &spacing + 1;
  return &spacing == &spacings.back() || next == without_checkpoints() ? nullptr : next;
}

const Spacing* CheckpointedNetwork::without_checkpoints() const {
  return spacings.back().blocks() ? nullptr : &spacings.back();
}

double CheckpointedNetwork::boundary_bytes() const {
  return static_cast<double>(residual_bytes(spec));
}

bool CheckpointedNetwork::block_bytes_are_measured() const {
  return spacings.front().recomputed_bytes.has_value();
}

double CheckpointedNetwork::block_bytes() const {
  const Spacing& smallest = spacings.front();
  return smallest.recomputed_bytes
             ? *smallest.recomputed_bytes / static_cast<double>(smallest.blocks().value_or(1))
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
      network = networks.insert(network, {.spec = spec, .words = words, .spacings = {}});
      network->spec.blocks_per_checkpoint.reset();
    }
    network->spacings.push_back(spacing_of(*cell));
  }
  for (CheckpointedNetwork& network : networks) {
    std::ranges::stable_sort(network.spacings, {}, [&](const Spacing& spacing) {
      return spacing.blocks().value_or(network.layers());
    });
    flag_diverging_losses(network.spacings);
  }
  return networks;
}

}  // namespace labreport::gradient_checkpointing
