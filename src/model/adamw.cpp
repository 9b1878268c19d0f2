#include "model/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace labreport {
namespace {

/// Returns rate · m / (√v + epsilon) and frees temporaries as Python does, so peaks agree.
at::Tensor step_direction(const at::Tensor& m, const at::Tensor& v, double rate, double epsilon) {
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
    slots_.push_back({std::move(parameter.name), std::move(parameter.tensor), {}, {}, 0});
  }
}

Parameters AdamW::state() const {
  Parameters moments;
  for (const Slot& slot : slots_) {
    if (slot.steps == 0) continue;
    moments.push_back({slot.name + ".m", slot.m});
    moments.push_back({slot.name + ".v", slot.v});
  }
  return moments;
}

void AdamW::step() {
  c10::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) update(slot);
  }
}

void AdamW::update(Slot& slot) const {
  at::Tensor& p = slot.parameter;
  const at::Tensor& gradient = p.grad();
  if (slot.steps++ == 0) {
    slot.m = at::zeros_like(p);
    slot.v = at::zeros_like(p);
  }
  p.sub_(p * (options_.learning_rate * options_.weight_decay));
  slot.m = decayed_average(options_.beta1, slot.m, gradient);
  slot.v = decayed_average(options_.beta2, slot.v, at::pow(gradient, 2));
  const auto t = static_cast<double>(slot.steps);
  const double rate = options_.learning_rate * std::sqrt(1 - std::pow(options_.beta2, t)) /
                      (1 - std::pow(options_.beta1, t));
  p.sub_(step_direction(slot.m, slot.v, rate, options_.epsilon));
}

}  // namespace labreport
