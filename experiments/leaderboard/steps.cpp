#include "experiments/leaderboard/steps.h"

#include <algorithm>

#include "base/outliers.h"
#include "experiments/common/timing.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport::leaderboard {
namespace {

std::string words_of(const CellSpec& spec) {
  const auto rung = leaderboard_rung(spec);
  return rung ? std::string(describe(*rung)) : name_without_digest(spec.implementation);
}

/// Orders rungs as the ladder climbs; a step of the user's follows them. A run may have measured
/// the rung that needs least first.
std::size_t order_of(const Step& step) {
  const auto rung = leaderboard_rung(step.cell->spec);
  return rung ? static_cast<std::size_t>(*rung) : kLeaderboardRungs.size();
}

Step read_step(const Cell& cell) {
  Step step{&cell, words_of(cell.spec), reason_missing(cell)};
  const Launch* tried = representative(cell);
  step.is_too_large = tried != nullptr && is_skipped_as_too_large(tried->outcome);
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return step;
  const TimedLaunch timed{&cell.spec, launch};
  step.steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  if (step.steps_ms.empty()) step.reason = "no recorded times";
  step.benched_ms = milliseconds(*launch, metric::kDoBench, metric::kTotal);
  step.peak_bytes = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  const std::vector<double> all_ms = milliseconds(*launch, metric::kStep, metric::kTotal);
  if (!all_ms.empty()) step.first_step_s = all_ms.front() / 1e3;
  step.losses = launch->numbers(metric::kLosses, metric::kTotal);
  step.parts = traced_parts(*launch);
  return step;
}

}  // namespace

double Step::mean_ms() const { return typical_time(steps_ms); }

double Step::ms_of(PartKind kind) const {
  const auto found = std::ranges::find(parts, kind, &TracedPart::kind);
  return found == parts.end() ? 0 : found->ms;
}

const Step* Steps::first_run() const {
  const auto found = std::ranges::find_if(steps, &Step::ran);
  return found == steps.end() ? nullptr : &*found;
}

const Step* Steps::fastest() const {
  const Step* fastest = nullptr;
  for (const Step& step : steps) {
    if (step.ran() && (fastest == nullptr || step.mean_ms() < fastest->mean_ms())) fastest = &step;
  }
  return fastest;
}

std::optional<Steps> steps_of(const RunView& view) {
  std::vector<Step> all;
  for (const Cell& cell : view.run().cells) {
    if (cell.spec.kind == CellKind::kLeaderboard && cell.spec.model) all.push_back(read_step(cell));
  }
  if (all.empty()) return std::nullopt;
  const auto deepest = std::ranges::find_if(all, &Step::ran);
  Steps found{deepest == all.end() ? all.front().cell->spec : deepest->cell->spec, {}, {}};
  for (Step& step : all) {
    const CellSpec& spec = step.cell->spec;
    if (spec.model != found.spec.model || spec.ranks != found.spec.ranks) {
      found.too_deep.push_back(std::move(step));
    } else if (spec.repeats) {
      found.benched = std::move(step);
    } else {
      found.steps.push_back(std::move(step));
    }
  }
  // A run may have lost the launches of the rungs.
  const bool none_ran = std::ranges::none_of(found.steps, &Step::ran);
  if (found.benched && (found.steps.empty() || (none_ran && found.benched->ran())))
    found.steps.push_back(*found.benched);
  std::ranges::stable_sort(found.steps, {}, order_of);
  return found;
}

}  // namespace labreport::leaderboard
