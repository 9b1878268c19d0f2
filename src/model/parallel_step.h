// One training step of several ranks, each on its part of the batch.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "model/sharded_optimizer.h"
#include "model/sharded_weights.h"
#include "model/training_step.h"

namespace labreport {

/// Rows [rank · B / ranks, (rank + 1) · B / ranks) of a batch that all ranks drew alike, which
/// splits evenly.
Batch part_of_batch(const Batch& whole, const RankGroup& group);

class ParallelStep {
 public:
  /// Told the phase that ended: metric::kForward, kLoss, kBackward, kAllReduce, kOptimizer and,
  /// where the optimizer is sharded, kBroadcast.
  using Ended = std::function<void(std::string_view phase)>;

  /// What is shared out: nothing; the optimizer's state; or weights, those of `network`.
  struct Shared {
    bool optimizer = false;
    std::shared_ptr<ShardedWeights> weights = {};
  };

  /// `network` and `group` have to outlive it. Gradients of whole parameters are averaged over the
  /// ranks, one by one, after backward; those of shards in backward.
  ParallelStep(const Network& network, Batch batch, StepOptions options, RankGroup& group,
               const Shared& shared);

  void run(const Ended& ended);
  /// Frees logits, loss, graph and gradients: no part of a step's time.
  void clear();

  const at::Tensor& loss() const { return loss_; }
  Parameters optimizer_state() const { return optimizer_->state(); }

 private:
  void compute_loss(const Ended& ended);
  void update(const Ended& ended);

  const Network& network_;
  Batch batch_;
  StepOptions options_;
  RankGroup& group_;
  std::shared_ptr<ShardedWeights> weights_;  ///< Null: all are whole.
  Parameters whole_;
  std::unique_ptr<Optimizer> optimizer_;
  ShardedOptimizer* sharded_ = nullptr;  ///< The same, where it is one.
  at::Tensor logits_, loss_;
};

}  // namespace labreport
