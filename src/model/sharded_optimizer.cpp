#include "model/sharded_optimizer.h"

#include <c10/core/GradMode.h>

#include "plan/sharding.h"

namespace labreport {
namespace {

void finish(std::vector<Collective>& running) {
  for (Collective& collective : running) collective.finish();
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(const Parameters& parameters, RankGroup& group,
                                   const OptimizerFactory& make)
    : parameters_(parameters), group_(group) {
  std::vector<std::int64_t> elements;
  for (const Parameter& parameter : parameters) elements.push_back(parameter.tensor.numel());
  owner_ = owner_ranks(elements, group.size());
  Parameters owned;
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    if (owner_[i] == group.rank()) owned.push_back(parameters[i]);
  }
  own_ = make(std::move(owned));
}

void ShardedOptimizer::step() {
  step_own();
  share();
}

void ShardedOptimizer::share() {
  std::vector<Collective> running;
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    running.push_back(group_.broadcast(parameters_[i].tensor.detach(), owner_[i]));
  }
  finish(running);
}

void average_gradients(const Parameters& parameters, RankGroup& group) {
  const c10::NoGradGuard no_grad;
  std::vector<Collective> running;
  for (const Parameter& parameter : parameters) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) running.push_back(group.sum(gradient));
  }
  finish(running);
  for (const Parameter& parameter : parameters) {
    if (parameter.tensor.grad().defined()) parameter.tensor.grad().div_(group.size());
  }
}

void share_from_first(const Parameters& parameters, RankGroup& group) {
  std::vector<Collective> running;
  for (const Parameter& parameter : parameters) {
    running.push_back(group.broadcast(parameter.tensor.detach(), 0));
  }
  finish(running);
}

}  // namespace labreport
