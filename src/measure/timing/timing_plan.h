// The parameters of a timing cell, all present.
#pragma once

#include "model/training_step.h"
#include "results/cell.h"

namespace labreport {

struct TimingPlan {
  NetworkSpec network;
  std::int64_t batch = 0;
  std::int64_t warmup = 0;
  std::int64_t steps = 0;
  StepOptions step;

  Batch random_batch(c10::Device device) const {
    return labreport::random_batch(batch, network.context, network.shape.vocab, device);
  }
};

/// Throws `InputError` naming the parameter that is missing or not positive.
TimingPlan timing_plan(const CellSpec& spec);

/// The same for a profiled step, beside which no step need be timed.
TimingPlan profiling_plan(const CellSpec& spec);

}  // namespace labreport
