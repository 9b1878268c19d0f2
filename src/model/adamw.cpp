#include "model/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace labreport {
namespace {

/// Returns rate · m / (√v + epsilon). Frees temporaries as Python does, so that peaks agree.
at::Tensor weight_change(const at::Tensor& m, const at::Tensor& v, double rate, double epsilon) {
  at::Tensor numerator = m * rate;
  at::Tensor denominator = at::sqrt(v);
  denominator = denominator + epsilon;
  return numerator / denominator;
}

at::Tensor decayed_average(double beta, const at::Tensor& average, const at::Tensor& value) {
  return average * beta + value * (1 - beta);
}

}  // namespace

AdamW::AdamW(Parameters parameters, AdamWOptions options) : options_(options) {
  for (Parameter& parameter : parameters) {
    states_.push_back({std::move(parameter.name), std::move(parameter.tensor), {}, {}, 0});
  }
}

Parameters AdamW::state() const {
  Parameters moments;
  for (const ParameterState& state : states_) {
    if (state.steps == 0) continue;
    moments.push_back({state.name + ".m", state.m});
    moments.push_back({state.name + ".v", state.v});
  }
  return moments;
}

void AdamW::step() {
  c10::NoGradGuard no_grad;
  for (ParameterState& state : states_) {
    if (state.parameter.grad().defined()) update(state);
  }
}

void AdamW::update(ParameterState& state) const {
  at::Tensor& p = state.parameter;
  const at::Tensor& gradient = p.grad();
  if (state.steps++ == 0) {
    state.m = at::zeros_like(p);
    state.v = at::zeros_like(p);
  }
  p.sub_(p * (options_.learning_rate * options_.weight_decay));
  state.m = decayed_average(options_.beta1, state.m, gradient);
  state.v = decayed_average(options_.beta2, state.v, at::pow(gradient, 2));
  const auto t = static_cast<double>(state.steps);
  const double rate = options_.learning_rate * std::sqrt(1 - std::pow(options_.beta2, t)) /
                      (1 - std::pow(options_.beta1, t));
  p.sub_(weight_change(state.m, state.v, rate, options_.epsilon));
}

}  // namespace labreport
