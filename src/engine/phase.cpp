#include "engine/phase.h"

#include <atomic>

#include "results/metric_names.h"

namespace labreport {
namespace {

// This is atomic, because the observer of failed allocations may read it on autograd's thread.
std::atomic<Phase> latest = Phase::kModelBuild;

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::kModelBuild:
      return metric::kModelBuild;
    case Phase::kForward:
      return metric::kForward;
    case Phase::kLoss:
      return metric::kLoss;
    case Phase::kBackward:
      return metric::kBackward;
    case Phase::kOptimizer:
      return metric::kOptimizer;
  }
  return "";
}

std::vector<Phase> phases(Mode mode) {
  std::vector<Phase> result{Phase::kForward};
  if (mode == Mode::kForwardBackward || mode == Mode::kTrainStep) {
    result.insert(result.end(), {Phase::kLoss, Phase::kBackward});
  }
  if (mode == Mode::kTrainStep) result.push_back(Phase::kOptimizer);
  return result;
}

void begin_phase(Phase phase) { latest.store(phase, std::memory_order_relaxed); }

Phase latest_phase() { return latest.load(std::memory_order_relaxed); }

}  // namespace labreport
