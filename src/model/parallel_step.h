// One training step on several ranks, each of which takes an equal part of the batch.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "model/sharded_optimizer.h"
#include "model/sharded_weights.h"
#include "model/training_step.h"

namespace labreport {

/// Returns this rank's rows of a batch that all ranks drew identically. Each rank gets equally many
/// rows, in order of rank, so the number of rows must be a multiple of the number of ranks.
Batch part_of_batch(const Batch& whole, const RankGroup& group);

class ParallelStep {
 public:
  /// Called at the end of each phase: metric::kForward, kLoss, kBackward, kAllReduce, kOptimizer
  /// and, if the optimizer is sharded, kBroadcast.
  using PhaseEndCallback = std::function<void(std::string_view phase)>;

  /// At most one of the two parts is sharded over the ranks.
  struct ShardedParts {
    bool optimizer_state = false;
    std::shared_ptr<ShardedWeights> weights = {};  ///< Null if all weights are whole.
  };

  /// `network` and `group` must outlive the step. Gradients of whole parameters are averaged after
  /// backward, in one all-reduce for each; gradients of shards are averaged during backward.
  ParallelStep(const Network& network, Batch batch, StepOptions options, RankGroup& group,
               const ShardedParts& sharded);

  void run(const PhaseEndCallback& on_end);
  /// Frees logits, loss, graph and gradients. A step's measured time does not include clear().
  void clear();

  const at::Tensor& loss() const { return loss_; }
  StateBytes state_bytes() const { return network_.state_bytes(*optimizer_); }

 private:
  void compute_loss(const PhaseEndCallback& on_end);
  void update(const PhaseEndCallback& on_end);

  const Network& network_;
  Batch batch_;
  StepOptions options_;
  RankGroup& group_;
  std::shared_ptr<ShardedWeights> sharded_weights_;  ///< Null if all weights are whole.
  Parameters replicated_;                            ///< The parameters that are not sharded.
  std::unique_ptr<Optimizer> optimizer_;
  ShardedOptimizer* sharded_optimizer_ = nullptr;  ///< `optimizer_` if it is sharded, else null.
  at::Tensor logits_, loss_;
};

}  // namespace labreport
