#include "model/sharded_optimizer.h"

#include <c10/core/GradMode.h>

#include "plan/sharding.h"

namespace labreport {
namespace {

void finish_all(std::vector<Collective>& running) {
  for (Collective& collective : running) collective.finish();
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(const Parameters& parameters, RankGroup& group,
                                   const OptimizerFactory& factory)
    : parameters_(parameters), group_(group) {
  std::vector<std::int64_t> elements;
  for (const Parameter& parameter : parameters) elements.push_back(parameter.tensor.numel());
  owner_ranks_ = owner_ranks(elements, group.size());
  Parameters owned;
  for (std::size_t i = 0; i < owner_ranks_.size(); ++i) {
    if (owner_ranks_[i] == group.rank()) owned.push_back(parameters[i]);
  }
  owned_optimizer_ = factory(std::move(owned));
}

void ShardedOptimizer::step() {
  update_owned();
  broadcast_from_owners();
}

void ShardedOptimizer::broadcast_from_owners() {
  std::vector<Collective> running;
  for (std::size_t i = 0; i < owner_ranks_.size(); ++i) {
    running.push_back(group_.broadcast(parameters_[i].tensor.detach(), owner_ranks_[i]));
  }
  finish_all(running);
}

void average_gradients(const Parameters& parameters, RankGroup& group) {
  const c10::NoGradGuard no_grad;
  std::vector<Collective> running;
  for (const Parameter& parameter : parameters) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) running.push_back(group.all_reduce_sum(gradient));
  }
  finish_all(running);
  for (const Parameter& parameter : parameters) {
    if (parameter.tensor.grad().defined()) parameter.tensor.grad().div_(group.size());
  }
}

void broadcast_from_rank_0(const Parameters& parameters, RankGroup& group) {
  std::vector<Collective> running;
  for (const Parameter& parameter : parameters) {
    running.push_back(group.broadcast(parameter.tensor.detach(), 0));
  }
  finish_all(running);
}

}  // namespace labreport
