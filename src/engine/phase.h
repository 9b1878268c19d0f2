// The phases of a step, and who wants to know when each begins and ends.
#pragma once

#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

enum class Phase { kModel, kForward, kLoss, kBackward, kOptimizer };

/// As in metrics and outcomes: "forward".
std::string_view name(Phase phase);

/// The phases of one step of `mode`, in order.
std::vector<Phase> phases(Mode mode);

class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void ended(Phase phase) = 0;
};

class Unobserved : public PhaseObserver {
 public:
  void ended(Phase) override {}
};

/// Makes `phase` the latest. Phases do not nest.
void begin_phase(Phase phase);

/// The phase that began last in this process: where an error came from.
Phase latest_phase();

}  // namespace labreport
