#include "model/parallel_step.h"

#include "engine/precision.h"
#include "engine/range.h"
#include "model/adamw.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Runs `work` in the range `range_name`. Errors of `work` are attributed to `phase`.
template <typename Work>
void in_phase(Phase phase, std::string_view range_name,
              const ParallelStep::PhaseEndCallback& on_end, const Work& work) {
  begin_phase(phase);
  {
    Range range(range_name);
    work();
  }
  on_end(range_name);
}

}  // namespace

Batch part_of_batch(const Batch& whole, const RankGroup& group) {
  const std::int64_t rows_per_rank = whole.ids.size(0) / group.size();
  const auto part = [&](const at::Tensor& tensor) {
    return tensor.narrow(0, group.rank() * rows_per_rank, rows_per_rank).clone();
  };
  return {part(whole.ids), part(whole.targets)};
}

ParallelStep::ParallelStep(const Network& network, Batch batch, StepOptions options,
                           RankGroup& group, const ShardedParts& sharded)
    : network_(network),
      batch_(std::move(batch)),
      options_(options),
      group_(group),
      sharded_weights_(sharded.weights),
      replicated_(sharded_weights_ ? sharded_weights_->replicated_parameters(network.parameters())
                                   : network.parameters()) {
  if (sharded.optimizer_state) {
    auto optimizer = std::make_unique<ShardedOptimizer>(
        network.parameters(), group,
        [](Parameters owned) { return std::make_unique<AdamW>(std::move(owned)); });
    sharded_optimizer_ = optimizer.get();
    optimizer_ = std::move(optimizer);
  } else {
    optimizer_ = network.make_optimizer();
  }
}

void ParallelStep::run(const PhaseEndCallback& on_end) {
  compute_loss(on_end);
  in_phase(Phase::kBackward, metric::kBackward, on_end, [&] {
    network_.backward(loss_);
    if (sharded_weights_) sharded_weights_->finish_gradients();
  });
  in_phase(Phase::kBackward, metric::kAllReduce, on_end,
           [&] { average_gradients(replicated_, group_); });
  update(on_end);
}

void ParallelStep::compute_loss(const PhaseEndCallback& on_end) {
  const AutocastScope autocast(options_.precision, options_.device);
  in_phase(Phase::kForward, metric::kForward, on_end,
           [&] { logits_ = network_.forward(batch_.ids); });
  in_phase(Phase::kLoss, metric::kLoss, on_end,
           [&] { loss_ = network_.loss(logits_, batch_.targets); });
}

void ParallelStep::update(const PhaseEndCallback& on_end) {
  in_phase(Phase::kOptimizer, metric::kOptimizer, on_end,
           [&] { sharded_optimizer_ ? sharded_optimizer_->update_owned() : optimizer_->step(); });
  if (!sharded_optimizer_) return;
  in_phase(Phase::kOptimizer, metric::kBroadcast, on_end,
           [&] { sharded_optimizer_->broadcast_from_owners(); });
}

void ParallelStep::clear() {
  loss_.reset();
  logits_.reset();
  clear_gradients(network_.parameters());
}

}  // namespace labreport
