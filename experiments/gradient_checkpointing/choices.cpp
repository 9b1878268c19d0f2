#include "experiments/gradient_checkpointing/choices.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::gradient_checkpointing {
namespace {

/// The time of forward, loss and backward in each counted step; empty if a phase was not timed.
std::vector<double> passes_of(const TimedLaunch& timed) {
  std::vector<double> passes = timed.ms_after_warmup(metric::kEvent, metric::kForward);
  for (const auto phase : {metric::kLoss, metric::kBackward}) {
    const std::vector<double> ms = timed.ms_after_warmup(metric::kEvent, phase);
    if (ms.size() != passes.size()) return {};
    for (std::size_t i = 0; i < ms.size(); ++i) passes[i] += ms[i];
  }
  return passes;
}

/// Reads a cell. Even if the training step ran out of memory, `held` is known.
Choice choice_of(const Cell& cell) {
  Choice choice{&cell, reason_missing(cell)};
  const Launch* launch = representative(cell);
  if (launch == nullptr) return choice;
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward}) {
    choice.held = std::max(choice.held, single_number(*launch, metric::kPeak, phase));
  }
  choice.peak = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  choice.saved = single_number(*launch, metric::kCheckpoints, metric::kSaved);
  choice.group = single_number(*launch, metric::kCheckpoints, metric::kRecomputed);
  const TimedLaunch timed{&cell.spec, launch};
  choice.steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  choice.passes_ms = passes_of(timed);
  choice.again_ms = single_milliseconds(*launch, metric::kStep, metric::kRecompute);
  const Metric* losses = launch->find(metric::kLosses, metric::kTotal);
  if (losses != nullptr) choice.losses = losses->numbers();
  return choice;
}

double expected(CellSpec spec, Mode mode) {
  spec.mode = mode;
  return static_cast<double>(expected_peak(spec).total());
}

}  // namespace

std::string Choice::words() const { return blocks() ? format_count(*blocks()) : "none"; }

double Choice::expected_held() const { return expected(cell->spec, Mode::kForwardBackward); }

double Choice::expected_peak() const { return expected(cell->spec, *cell->spec.mode); }

const Choice* Checkpointed::best() const {
  const Choice* best = nullptr;
  const auto bytes = [](const Choice& choice) { return std::pair(*choice.peak, *choice.held); };
  for (const Choice& choice : choices) {
    if (!choice.peak || !choice.held) continue;
    if (best == nullptr || bytes(choice) < bytes(*best)) best = &choice;
  }
  return best;
}

const Choice* Checkpointed::smaller(const Choice& than) const {
  if (&than == plain()) return nullptr;
  return &than == &choices.front() ? plain() : &than - 1;
}

const Choice* Checkpointed::larger(const Choice& than) const {
  const Choice* next = &than + 1;
  return &than == &choices.back() || next == plain() ? nullptr : next;
}

const Choice* Checkpointed::plain() const {
  return choices.back().blocks() ? nullptr : &choices.back();
}

double Checkpointed::boundary() const { return static_cast<double>(residual_bytes(spec)); }

bool Checkpointed::measured_residuals() const { return choices.front().group.has_value(); }

double Checkpointed::residuals() const {
  const Choice& least = choices.front();
  return least.group ? *least.group / static_cast<double>(least.blocks().value_or(1))
                     : static_cast<double>(saved_block_bytes(spec));
}

std::vector<Checkpointed> checkpointed_networks(const RunView& view) {
  std::vector<Checkpointed> networks;
  for (const Cell* cell : view.cells(CellKind::kCheckpointing)) {
    const CellSpec& spec = cell->spec;
    if (!spec.model || !spec.context || !spec.batch || !spec.precision || !spec.mode) continue;
    auto network = std::ranges::find_if(
        networks, [&](const Checkpointed& known) { return same_setting(known.spec, spec); });
    if (network == networks.end()) {
      const std::string words = spec.size + " at context " + format_count(*spec.context) + " in " +
                                std::string(describe(*spec.precision));
      network = networks.insert(network, {.spec = spec, .words = words, .choices = {}});
      network->spec.group.reset();
    }
    network->choices.push_back(choice_of(*cell));
  }
  for (Checkpointed& network : networks) {
    std::ranges::stable_sort(network.choices, {}, [&](const Choice& choice) {
      return choice.blocks().value_or(network.layers());
    });
  }
  return networks;
}

}  // namespace labreport::gradient_checkpointing
