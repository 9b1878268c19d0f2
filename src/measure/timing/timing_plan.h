// The parameters of a cell that runs steps. Unlike those of a `CellSpec`, none is absent.
#pragma once

#include "model/training_step.h"
#include "results/cell.h"

namespace labreport {

struct TimingPlan {
  NetworkSpec network;
  std::int64_t batch = 0, warmup = 0, steps = 0;
  StepOptions step;

  Batch random_batch(c10::Device device) const {
    return labreport::random_batch(batch, network.context, network.shape.vocab, device);
  }
};

/// Throws `InputError`, which names a parameter that is missing or not positive. `warmup` may be 0.
TimingPlan timing_plan(const CellSpec& spec);

/// Does the same as timing_plan(), but `steps` may be 0: a profiled step needs no timed steps.
TimingPlan profiling_plan(const CellSpec& spec);

}  // namespace labreport
