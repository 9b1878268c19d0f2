// An optimizer whose state is sharded over the ranks.
#pragma once

#include <functional>
#include <memory>

#include "engine/rank_group.h"
#include "model/network.h"

namespace labreport {

/// Creates an optimizer of the parameters that a rank owns.
using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(Parameters)>;

/// Wraps any optimizer. Each rank updates the parameters that it owns, about 1/ranks of the
/// elements (`owners` of plan/sharding.h, in whole parameters), and broadcasts them. Gradients must
/// be equal on all ranks. `group` must outlive the optimizer.
class ShardedOptimizer : public Optimizer {
 public:
  ShardedOptimizer(const Parameters& parameters, RankGroup& group, const OptimizerFactory& make);

  /// Calls step_own(), then share().
  void step() override;
  void step_own() { own_->step(); }
  /// Broadcasts each parameter from its owner. Returns when all have arrived; on a GPU later
  /// kernels wait instead.
  void share();

  /// Returns the state of the owned parameters only.
  Parameters state() const override { return own_->state(); }

 private:
  Parameters parameters_;
  std::vector<std::int64_t> owner_;
  RankGroup& group_;
  std::unique_ptr<Optimizer> own_;
};

/// Averages gradients over the ranks, each in its own all-reduce, all started at once. Undefined
/// gradients are skipped; they must be undefined on all ranks.
void average_gradients(const Parameters& parameters, RankGroup& group);

/// Copies rank 0's parameters to all ranks.
void share_from_first(const Parameters& parameters, RankGroup& group);

}  // namespace labreport
