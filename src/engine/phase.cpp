#include "engine/phase.h"

#include <atomic>

namespace labreport {
namespace {

// This is atomic, because the observer of failed allocations may read it on autograd's thread.
std::atomic<Phase> latest = Phase::kModelBuild;

}  // namespace

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
