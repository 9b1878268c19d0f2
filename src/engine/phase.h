// The phases of a step, and observers of their ends.
#pragma once

#include <vector>

#include "results/cell.h"
#include "results/metric_names.h"

namespace labreport {

/// kOther is what a step of the user's does between the other phases.
enum class Phase { kModelBuild, kForward, kLoss, kBackward, kOptimizer, kOther };

/// The names in metrics and outcomes.
template <>
inline constexpr auto kEnumNames<Phase> =
    enum_names<Phase>("phase", {{Phase::kModelBuild, metric::kModelBuild},
                                {Phase::kForward, metric::kForward},
                                {Phase::kLoss, metric::kLoss},
                                {Phase::kBackward, metric::kBackward},
                                {Phase::kOptimizer, metric::kOptimizer},
                                {Phase::kOther, metric::kOther}});

/// Returns the phases of one step of `mode`, in order.
std::vector<Phase> phases(Mode mode);

class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void on_phase_end(Phase phase) = 0;
  /// Only a step of the user's reports begins.
  virtual void on_phase_begin(Phase /*phase*/) {}
};

class NullPhaseObserver : public PhaseObserver {
 public:
  void on_phase_end(Phase) override {}
};

/// Makes `phase` the latest_phase(). Phases do not nest.
void begin_phase(Phase phase);

/// Returns the phase that began last in this process; errors are attributed to it.
Phase latest_phase();

}  // namespace labreport
