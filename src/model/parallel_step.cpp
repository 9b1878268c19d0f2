#include "model/parallel_step.h"

#include "engine/precision.h"
#include "engine/range.h"
#include "model/adamw.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Runs `work` as `phase`, which errors name, and in the range `words`, which profilers show.
template <typename Work>
void in_phase(Phase phase, std::string_view words, const ParallelStep::Ended& ended,
              const Work& work) {
  begin_phase(phase);
  {
    Range range(words);
    work();
  }
  ended(words);
}

}  // namespace

Batch part_of_batch(const Batch& whole, const RankGroup& group) {
  const std::int64_t own = whole.ids.size(0) / group.size();
  const auto part = [&](const at::Tensor& of) {
    return of.narrow(0, group.rank() * own, own).clone();
  };
  return {part(whole.ids), part(whole.targets)};
}

ParallelStep::ParallelStep(const Network& network, Batch batch, StepOptions options,
                           RankGroup& group, const Shared& shared)
    : network_(network),
      batch_(std::move(batch)),
      options_(options),
      group_(group),
      weights_(shared.weights),
      whole_(weights_ ? weights_->replicated(network.parameters()) : network.parameters()) {
  if (shared.optimizer) {
    auto optimizer = std::make_unique<ShardedOptimizer>(
        network.parameters(), group,
        [](Parameters own) { return std::make_unique<AdamW>(std::move(own)); });
    sharded_ = optimizer.get();
    optimizer_ = std::move(optimizer);
  } else {
    optimizer_ = network.make_optimizer();
  }
}

void ParallelStep::run(const Ended& ended) {
  compute_loss(ended);
  in_phase(Phase::kBackward, metric::kBackward, ended, [&] {
    network_.backward(loss_);
    if (weights_) weights_->finish_gradients();
  });
  in_phase(Phase::kBackward, metric::kAllReduce, ended, [&] { average_gradients(whole_, group_); });
  update(ended);
}

void ParallelStep::compute_loss(const Ended& ended) {
  const AutocastScope autocast(options_.precision, options_.device);
  in_phase(Phase::kForward, metric::kForward, ended,
           [&] { logits_ = network_.forward(batch_.ids); });
  in_phase(Phase::kLoss, metric::kLoss, ended,
           [&] { loss_ = network_.loss(logits_, batch_.targets); });
}

void ParallelStep::update(const Ended& ended) {
  in_phase(Phase::kOptimizer, metric::kOptimizer, ended,
           [&] { sharded_ ? sharded_->step_own() : optimizer_->step(); });
  if (!sharded_) return;
  in_phase(Phase::kOptimizer, metric::kBroadcast, ended, [&] { sharded_->share(); });
}

void ParallelStep::clear() {
  loss_.reset();
  logits_.reset();
  clear_gradients(network_.parameters());
}

}  // namespace labreport
