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
  ShardedOptimizer(const Parameters& parameters, RankGroup& group, const OptimizerFactory& factory);

  /// Calls update_owned(), then broadcast_from_owners().
  void step() override;
  void update_owned() { owned_optimizer_->step(); }
  /// Broadcasts each parameter from its owner and waits for all broadcasts. On a GPU the host does
  /// not wait, but later kernels do.
  void broadcast_from_owners();

  /// Returns the state of the owned parameters only.
  Parameters state() const override { return owned_optimizer_->state(); }

 private:
  Parameters parameters_;
  std::vector<std::int64_t> owner_ranks_;
  RankGroup& group_;
  std::unique_ptr<Optimizer> owned_optimizer_;
};

/// Averages gradients over the ranks, in one all-reduce for each gradient; all of them run at once.
/// A gradient that is undefined on all ranks is skipped.
void average_gradients(const Parameters& parameters, RankGroup& group);

void broadcast_from_rank_0(const Parameters& parameters, RankGroup& group);

}  // namespace labreport
