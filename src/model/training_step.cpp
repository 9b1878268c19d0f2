#include "model/training_step.h"

#include <ATen/ops/randint.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "engine/allocator.h"
#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "engine/range.h"

namespace labreport {
namespace {

bool runs_under_autocast(Phase phase) { return phase == Phase::kForward || phase == Phase::kLoss; }

}  // namespace

Batch random_batch(std::int64_t batch, std::int64_t context, std::int64_t vocab,
                   c10::Device device) {
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  return {at::randint(vocab, {batch, context}, options),
          at::randint(vocab, {batch, context}, options)};
}

TrainingStep::TrainingStep(const Network& network, Batch batch, StepOptions options)
    : network_(network),
      batch_(std::move(batch)),
      options_(options),
      phases_(phases(options.mode)),
      optimizer_(network.make_optimizer()) {}

std::optional<std::int64_t> TrainingStep::compile() {
  if (!network_.compiles()) return std::nullopt;
  const c10::Device device = torch_device(options_.device);
  synchronize(device);
  const std::int64_t start_ns = host_now_ns();
  NullPhaseObserver observer;
  run_phases(phases(std::min(options_.mode, Mode::kForwardBackward)), observer);
  synchronize(device);
  const std::int64_t elapsed_ns = host_now_ns() - start_ns;
  clear();
  release_free_blocks(device);
  return elapsed_ns;
}

void TrainingStep::run(PhaseObserver& observer) {
  if (network_.has_own_step()) {
    loss_ = network_.own_step(batch_, observer);
  } else {
    run_phases(phases_, observer);
  }
}

void TrainingStep::run_phases(const std::vector<Phase>& phases, PhaseObserver& observer) {
  const c10::AutoGradMode recording(options_.mode != Mode::kInference);
  {
    const AutocastScope autocast(options_.precision, options_.device);
    for (Phase phase : phases) {
      if (runs_under_autocast(phase)) run_phase(phase, observer);
    }
  }
  for (Phase phase : phases) {
    if (!runs_under_autocast(phase)) run_phase(phase, observer);
  }
}

void TrainingStep::run_phase(Phase phase, PhaseObserver& observer) {
  begin_phase(phase);
  {
    Range range(name(phase));
    compute(phase);
  }
  observer.on_phase_end(phase);
}

void TrainingStep::compute(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      logits_ = network_.forward(batch_.ids);
      break;
    case Phase::kLoss:
      loss_ = network_.loss(logits_, batch_.targets);
      break;
    case Phase::kBackward:
      network_.backward(loss_);
      break;
    case Phase::kOptimizer:
      optimizer_->step();
      break;
    case Phase::kModelBuild:
    case Phase::kOther:
      break;
  }
}

void TrainingStep::clear() {
  loss_.reset();
  logits_.reset();
  if (!network_.has_own_step()) clear_gradients(network_.parameters());
}

}  // namespace labreport
