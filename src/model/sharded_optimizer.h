// An optimizer whose state is sharded over the ranks.
#pragma once

#include <functional>
#include <memory>

#include "engine/rank_group.h"
#include "model/network.h"

namespace labreport {

/// Creates the optimizer of the parameters that this rank owns.
using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(Parameters)>;

/// Each rank runs an optimizer on the parameters that it owns and broadcasts these to the other
/// ranks. `owner_ranks` of plan/sharding.h assigns whole parameters, about 1 / ranks of all
/// elements to each rank. Gradients must be equal on all ranks. `group` must outlive the optimizer.
class ShardedOptimizer : public Optimizer {
 public:
  ShardedOptimizer(const Parameters& parameters, RankGroup& group, const OptimizerFactory& make);

  /// Calls step_own(), then share().
  void step() override;
  void step_own() { own_->step(); }
  /// Broadcasts each parameter from its owner and waits for all broadcasts. On a GPU the host does
  /// not wait, but later kernels do.
  void share();

  /// Returns the state of the owned parameters only.
  Parameters state() const override { return own_->state(); }

 private:
  Parameters parameters_;
  std::vector<std::int64_t> owner_;
  RankGroup& group_;
  std::unique_ptr<Optimizer> own_;
};

/// Averages gradients over the ranks, in one all-reduce for each gradient; all of them run at once.
/// A gradient that is undefined on all ranks is skipped.
void average_gradients(const Parameters& parameters, RankGroup& group);

/// Copies rank 0's parameters to all ranks.
void share_from_first(const Parameters& parameters, RankGroup& group);

}  // namespace labreport
