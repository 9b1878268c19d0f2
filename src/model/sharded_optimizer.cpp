#include "model/sharded_optimizer.h"

#include <c10/core/GradMode.h>

#include "plan/sharding.h"

namespace labreport {
namespace {

std::vector<std::int64_t> owners_of(const Parameters& parameters, std::int64_t ranks) {
  std::vector<std::int64_t> elements;
  for (const Parameter& parameter : parameters) elements.push_back(parameter.tensor.numel());
  return owners(elements, ranks);
}

Parameters owned_by(std::int64_t rank, const Parameters& parameters,
                    const std::vector<std::int64_t>& owner) {
  Parameters owned;
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] == rank) owned.push_back(parameters[i]);
  }
  return owned;
}

void finish(std::vector<Collective>& under_way) {
  for (Collective& collective : under_way) collective.finish();
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(const Parameters& parameters, RankGroup& group,
                                   const OptimizerFactory& make)
    : parameters_(parameters),
      owner_(owners_of(parameters, group.size())),
      group_(group),
      own_(make(owned_by(group.rank(), parameters, owner_))) {}

void ShardedOptimizer::step() {
  step_own();
  share();
}

void ShardedOptimizer::share() {
  std::vector<Collective> under_way;
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    under_way.push_back(group_.broadcast(parameters_[i].tensor.detach(), owner_[i]));
  }
  finish(under_way);
}

void average_gradients(const Parameters& parameters, RankGroup& group) {
  const c10::NoGradGuard no_grad;
  std::vector<Collective> under_way;
  for (const Parameter& parameter : parameters) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) under_way.push_back(group.sum(gradient));
  }
  finish(under_way);
  for (const Parameter& parameter : parameters) {
    if (parameter.tensor.grad().defined()) parameter.tensor.grad().div_(group.size());
  }
}

void share_from_first(const Parameters& parameters, RankGroup& group) {
  std::vector<Collective> under_way;
  for (const Parameter& parameter : parameters) {
    under_way.push_back(group.broadcast(parameter.tensor.detach(), 0));
  }
  finish(under_way);
}

}  // namespace labreport
