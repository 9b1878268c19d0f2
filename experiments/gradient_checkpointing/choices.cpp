#include "experiments/gradient_checkpointing/choices.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::gradient_checkpointing {
namespace {

std::optional<double> number(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::optional<double> highest_phase(const Launch& launch) {
  std::optional<double> highest;
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward}) {
    highest = std::max(highest, number(launch, metric::kPeak, phase));
  }
  return highest;
}

/// The sum of the phases of each counted step; nothing where one was not timed.
std::vector<double> passes_of(const Timed& timed) {
  std::vector<double> passes = timed.counted(metric::kEvent, metric::kForward);
  for (const auto phase : {metric::kLoss, metric::kBackward}) {
    const std::vector<double> ms = timed.counted(metric::kEvent, phase);
    if (ms.size() != passes.size()) return {};
    for (std::size_t i = 0; i < ms.size(); ++i) passes[i] += ms[i];
  }
  return passes;
}

void read_times(Choice& choice, const Launch& launch) {
  const Timed timed{&choice.cell->spec, &launch};
  choice.steps_ms = timed.counted(metric::kStep, metric::kTotal);
  choice.passes_ms = passes_of(timed);
  choice.again_ms = single_milliseconds(launch, metric::kStep, metric::kRecompute);
  const Metric* losses = launch.find(metric::kLosses, metric::kTotal);
  if (losses != nullptr) choice.losses = losses->numbers();
}

/// Training steps that ran out of memory leave what forward and backward held.
Choice choice_of(const Cell& cell) {
  Choice choice{&cell, reason_missing(cell)};
  const Launch* launch = representative(cell);
  if (launch == nullptr) return choice;
  choice.held = highest_phase(*launch);
  choice.peak = number(*launch, metric::kMemory, metric::kPeakAllocated);
  choice.saved = number(*launch, metric::kCheckpoints, metric::kSaved);
  choice.group = number(*launch, metric::kCheckpoints, metric::kRecomputed);
  read_times(choice, *launch);
  return choice;
}

double expected(CellSpec spec, Mode mode) {
  spec.mode = mode;
  return static_cast<double>(expected_peak(spec).total());
}

std::string words_of(const CellSpec& spec) {
  return spec.size + " at context " + format_count(*spec.context) + " in " +
         std::string(describe(*spec.precision));
}

bool complete(const CellSpec& spec) {
  return spec.model && spec.context && spec.batch && spec.precision && spec.mode;
}

Checkpointed& network_for(std::vector<Checkpointed>& all, const CellSpec& spec) {
  const auto found = std::ranges::find_if(
      all, [&](const Checkpointed& network) { return same_setting(network.spec, spec); });
  if (found != all.end()) return *found;
  Checkpointed& fresh = all.emplace_back(Checkpointed{spec, words_of(spec), {}});
  fresh.spec.group.reset();
  return fresh;
}

std::int64_t rank(const Choice& choice) {
  return choice.blocks().value_or(choice.cell->spec.model->layers);
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
  std::vector<Checkpointed> all;
  for (const Cell* cell : view.cells(CellKind::kCheckpointing, complete)) {
    network_for(all, cell->spec).choices.push_back(choice_of(*cell));
  }
  for (Checkpointed& network : all) std::ranges::stable_sort(network.choices, {}, rank);
  return all;
}

}  // namespace labreport::gradient_checkpointing
