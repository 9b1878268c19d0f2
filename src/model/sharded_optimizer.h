// An optimizer whose state is shared out among ranks.
#pragma once

#include <functional>
#include <memory>

#include "engine/rank_group.h"
#include "model/network.h"

namespace labreport {

/// Makes the optimizer of the parameters that a rank owns.
using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(Parameters)>;

/// Wraps any optimizer: each rank steps the parameters that it owns, about 1/ranks of them by
/// elements (`owners` of plan/sharding.h, whole parameters as units), and sends them to the others.
/// Gradients have to be the same on all ranks. `group` has to outlive it.
class ShardedOptimizer : public Optimizer {
 public:
  ShardedOptimizer(const Parameters& parameters, RankGroup& group, const OptimizerFactory& make);

  /// `step_own`, then `share`.
  void step() override;
  void step_own() { own_->step(); }
  /// Each parameter goes out from its owner; returns when all are there, on a GPU for later
  /// kernels.
  void share();

  /// Of the owned parameters alone.
  Parameters state() const override { return own_->state(); }

 private:
  Parameters parameters_;
  std::vector<std::int64_t> owner_;
  RankGroup& group_;
  std::unique_ptr<Optimizer> own_;
};

/// Gradients become their mean over the ranks, each summed by itself and all under way at once.
/// Those that are not defined are left alone, on all ranks alike.
void average_gradients(const Parameters& parameters, RankGroup& group);

/// All ranks get rank 0's.
void share_from_first(const Parameters& parameters, RankGroup& group);

}  // namespace labreport
