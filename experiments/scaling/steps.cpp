#include "experiments/scaling/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/outliers.h"
#include "base/statistics.h"
#include "experiments/common/code_name.h"
#include "experiments/common/timing.h"
#include "plan/collectives.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::scaling {
namespace {

/// Returns the optimizer's time: of rank 0's steps, or, alone, of steps whose phases were timed.
std::optional<Time> optimizer_time(const TimedLaunch& timed) {
  for (const MeasuredRow& row : measured_rows(*timed.launch, metric::kRankSteps)) {
    const auto ns = row.number(phase_column(metric::kOptimizer));
    if (row.number(column::kRank) == 0 && ns) return Time{*ns / kNanosecondsPerMillisecond};
  }
  for (const auto tag : {metric::kEvent, metric::kSynced}) {
    const auto times_ms = timed.ms_after_warmup(tag, metric::kOptimizer);
    if (!times_ms.empty()) return Time{median(times_ms), sample_stddev(without_outlier(times_ms))};
  }
  return std::nullopt;
}

/// Returns the highest peak of a rank's last step, or of all timed steps.
std::optional<double> peak_of_ranks(const Launch& launch) {
  const std::vector<MeasuredRow> points = measured_rows(launch, metric::kHeld);
  double last_step = 0;
  for (const MeasuredRow& row : points)
    last_step = std::max(last_step, row.number(column::kStepNumber).value_or(0));
  std::optional<double> peak = single_number(launch, metric::kMemory, metric::kPeakAllocated);
  for (const MeasuredRow& row : points) {
    const auto bytes = row.number(column::kPeakBytes);
    if (bytes && row.number(column::kStepNumber) == last_step)
      peak = std::max(peak.value_or(0), *bytes);
  }
  return peak;
}

RankedStep ranked_step(const Cell& cell) {
  RankedStep step{&cell, reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return step;
  const TimedLaunch timed{&cell.spec, launch};
  step.steps_ms = cell.spec.kind == CellKind::kSharding
                      ? milliseconds(*launch, metric::kStep, metric::kTotal)
                      : timed.ms_after_warmup(metric::kStep, metric::kTotal);
  step.optimizer = optimizer_time(timed);
  step.peak_bytes = peak_of_ranks(*launch);
  return step;
}

/// True if the cell is the same network's, whatever its batch and its ranks.
bool is_of_network(CellSpec spec, const CellSpec& alone) {
  spec.batch = alone.batch;
  return same_setting(spec, alone) && spec.device == alone.device && spec.mode == alone.mode;
}

bool is_scaled(const CellSpec& spec) {
  return spec.scheme == Scheme::kNone || spec.scheme == Scheme::kOverlapped ||
         spec.scheme == Scheme::kOwnStep || spec.sharding == Sharding::kWeights;
}

Time difference(const Time& a, const Time& b) {
  return {a.ms - b.ms, std::hypot(a.deviation_ms, b.deviation_ms)};
}

const RankedStep* find_scheme(const std::vector<RankedStep>& steps, std::int64_t ranks,
                              Scheme scheme) {
  const auto found = std::ranges::find_if(steps, [&](const RankedStep& step) {
    return step.ranks() == ranks && step.cell->spec.scheme == scheme && step.ms();
  });
  return found == steps.end() ? nullptr : &*found;
}

}  // namespace

std::string RankedStep::scheme() const {
  const CellSpec& spec = cell->spec;
  if (!spec.ranks) return "–";
  if (joins_by_itself(spec)) return code_name(spec);
  return std::string(spec.sharding ? describe(*spec.sharding) : describe(*spec.scheme));
}

bool RankedStep::communicates() const {
  return cell->spec.ranks && cell->spec.scheme != Scheme::kNone;
}

std::optional<double> RankedStep::ms() const {
  return steps_ms.empty() ? std::nullopt : std::optional(typical_time(steps_ms));
}

Time RankedStep::time() const {
  return {typical_time(steps_ms), sample_stddev(without_outlier(steps_ms))};
}

bool Loss::is_plausible() const {
  return std::min({optimizer.ms, smaller_batch.ms, communication.ms}) >= 0;
}

std::optional<Ratio> ScaledNetwork::speedup(const RankedStep& step) const {
  const auto ratio = ratio_of(alone.steps_ms, step.steps_ms);
  if (!ratio) return std::nullopt;
  const auto whole_batches =
      static_cast<double>(step.ranks() * step.batch()) / static_cast<double>(batch());
  return Ratio{whole_batches * ratio->value, whole_batches * ratio->deviation};
}

const RankedStep* ScaledNetwork::fastest(std::int64_t ranks) const {
  const RankedStep* fastest = nullptr;
  for (const RankedStep& step : strong) {
    if (step.ranks() != ranks || !step.communicates() || !step.ms()) continue;
    if (fastest == nullptr || *step.ms() < *fastest->ms()) fastest = &step;
  }
  return fastest;
}

std::int64_t ScaledNetwork::most_ranks() const {
  std::int64_t most = 1;
  for (const RankedStep& step : strong) {
    if (step.communicates() && step.ms()) most = std::max(most, step.ranks());
  }
  return most;
}

std::optional<Loss> ScaledNetwork::loss(std::int64_t ranks) const {
  const RankedStep* silent = find_scheme(strong, ranks, Scheme::kNone);
  const RankedStep* overlapped = find_scheme(strong, ranks, Scheme::kOverlapped);
  if (silent == nullptr || overlapped == nullptr || !alone.ms()) return std::nullopt;
  if (!alone.optimizer || !silent->optimizer) return std::nullopt;
  const auto count = static_cast<double>(ranks);
  const Time share{*alone.ms() / count, alone.time().deviation_ms / count};
  const double optimizer_ms = silent->optimizer->ms - alone.optimizer->ms / count;
  const Time without_communication = difference(silent->time(), share);
  return Loss{.step = overlapped,
              .share_ms = share.ms,
              .optimizer = {optimizer_ms, without_communication.deviation_ms},
              .smaller_batch = {without_communication.ms - optimizer_ms,
                                without_communication.deviation_ms},
              .communication = difference(overlapped->time(), silent->time()),
              .lost = difference(overlapped->time(), share)};
}

double ScaledNetwork::predicted_ms(const Loss& loss) const {
  const std::int64_t ranks = loss.step->ranks();
  const auto count = static_cast<double>(ranks);
  const double whole_passes_ms = *alone.ms() - alone.optimizer->ms;
  const double passes_ms = loss.smaller_batch.ms + whole_passes_ms / count;
  const double whole_optimizer_ms = loss.optimizer.ms + alone.optimizer->ms / count;
  return passes_ms * passes_ms / whole_passes_ms + whole_optimizer_ms +
         loss.communication.ms * bus_factor(2 * ranks) / bus_factor(ranks);
}

std::vector<ScaledNetwork> scaled_networks(const RunView& view) {
  std::vector<ScaledNetwork> networks;
  for (const Cell* alone : view.cells(CellKind::kTiming)) {
    if (alone->spec.mode != Mode::kTrainStep) continue;
    ScaledNetwork network{fmt::format("{} in {}", alone->spec.size,
                                      describe(alone->spec.precision.value_or(Precision::kFp32))),
                          ranked_step(*alone),
                          {},
                          {}};
    for (const CellKind kind : {CellKind::kDataParallel, CellKind::kSharding}) {
      for (const Cell* cell : view.cells(kind)) {
        if (!is_scaled(cell->spec) || !is_of_network(cell->spec, alone->spec)) continue;
        RankedStep step = ranked_step(*cell);
        const bool same_work = step.ranks() * step.batch() == network.batch();
        if (!same_work && step.batch() != network.batch()) continue;
        (same_work ? network.strong : network.weak).push_back(std::move(step));
      }
    }
    if (network.strong.empty() && network.weak.empty()) continue;
    for (std::vector<RankedStep>* steps : {&network.strong, &network.weak})
      std::ranges::stable_sort(*steps, {}, &RankedStep::ranks);
    networks.push_back(std::move(network));
  }
  return networks;
}

}  // namespace labreport::scaling
