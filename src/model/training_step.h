// One step of inference or training, as a mode selects it, on a fixed random batch.
#pragma once

#include <optional>

#include "engine/phase.h"
#include "model/network.h"

namespace labreport {

Batch random_batch(std::int64_t batch, std::int64_t context, std::int64_t vocab,
                   c10::Device device);

struct StepOptions {
  Mode mode = Mode::kTrainStep;
  Precision precision = Precision::kFp32;
  DeviceKind device = DeviceKind::kCpu;
};

class TrainingStep {
 public:
  /// `network` must outlive the step.
  TrainingStep(const Network& network, Batch batch, StepOptions options);

  /// Compiles the network if its compiles() is true, so that no step includes compilation: runs the
  /// mode's forward, loss and backward once and frees their tensors. Returns the nanoseconds that
  /// this took. A network that does not compile is not run, and the result is empty.
  std::optional<std::int64_t> compile();

  /// Runs the phases of the mode, or the network's own step, and reports the end of each phase.
  /// Autocast covers only forward and loss. Logits, loss, graph and gradients stay until clear().
  void run(PhaseObserver& observer);

  /// Frees the tensors of run(), except gradients of an own step. A step's measured time does not
  /// include clear().
  void clear();

  /// logits() and loss() return results of the last run(), undefined if the mode computes none.
  const at::Tensor& logits() const { return logits_; }
  const at::Tensor& loss() const { return loss_; }

  /// Returns the optimizer's tensors; labreport's AdamW has none before the first step.
  Parameters optimizer_state() const { return optimizer_->state(); }
  StateBytes state_bytes() const { return network_.state_bytes(*optimizer_); }

 private:
  void run_phases(const std::vector<Phase>& phases, PhaseObserver& observer);
  void run_phase(Phase phase, PhaseObserver& observer);
  void compute(Phase phase);

  const Network& network_;
  Batch batch_;
  StepOptions options_;
  std::vector<Phase> phases_;
  std::unique_ptr<Optimizer> optimizer_;
  at::Tensor logits_, loss_;
};

}  // namespace labreport
