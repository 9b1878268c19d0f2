#include "measure/attention/implementation.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "engine/out_of_memory.h"
#include "engine/phase.h"
#include "engine/precision.h"
#include "measure/attention/clocks.h"
#include "model/attention.h"
#include "model/network.h"

namespace labreport {
namespace {

constexpr double kFp32Tolerance = 1e-4, kTf32Tolerance = 1e-2, k16BitTolerance = 5e-2;

at::Tensor leaf(const at::Tensor& values) { return values.detach().requires_grad_(); }

at::Tensor compared_rows(const at::Tensor& tensor, const ComparedQueries& compared) {
  return tensor.detach().narrow(-2, compared.first, compared.count);
}

/// Returns the inputs of the compared queries in FP64 for the eager operators, with a causal mask.
AttentionInputs in_fp64(const AttentionInputs& inputs, const ComparedQueries& compared) {
  const auto fp64 = [](const at::Tensor& tensor) { return leaf(tensor.detach().to(at::kDouble)); };
  const at::Tensor mask = at::ones({compared.count, inputs.k.size(-2)},
                                   inputs.q.options().dtype(at::kBool).requires_grad(false));
  return {fp64(compared_rows(inputs.q, compared)), fp64(inputs.k), fp64(inputs.v),
          compared_rows(inputs.upstream, compared).to(at::kDouble), mask.tril(compared.first)};
}

/// Returns the output's gradient with 0 for the queries that are not compared.
at::Tensor upstream_of(const AttentionInputs& inputs, const ComparedQueries& compared) {
  at::Tensor upstream = at::zeros_like(inputs.upstream);
  compared_rows(upstream, compared).copy_(compared_rows(inputs.upstream, compared));
  return upstream;
}

double relative_difference(const at::Tensor& value, const at::Tensor& truth) {
  const at::Tensor difference = (value.detach().to(at::kDouble) - truth).abs().max();
  return (difference / truth.abs().max()).item<double>();
}

class OwnAttention : public AttentionImplementation {
 public:
  explicit OwnAttention(AttentionBackend backend) : backend_(backend) {}
  at::Tensor forward(const AttentionInputs& inputs) const override {
    return attend(backend_, inputs);
  }

 private:
  AttentionBackend backend_;
};

AttentionFactory& attention_factory() {
  static AttentionFactory factory;
  return factory;
}

}  // namespace

void AttentionImplementation::backward(const at::Tensor& value, const at::Tensor& upstream,
                                       bool retain_graph) const {
  value.backward(upstream, retain_graph);
}

void set_attention_factory(AttentionFactory factory) { attention_factory() = std::move(factory); }

std::unique_ptr<AttentionImplementation> make_attention(const CellSpec& spec, c10::Device device) {
  if (spec.implementation.empty()) return std::make_unique<OwnAttention>(spec.attention->backend);
  if (!attention_factory()) throw InputError("this worker knows no " + spec.implementation);
  return attention_factory()(spec.implementation, device);
}

struct BackendRestriction::WarningCollector : c10::WarningHandler {
  WarningCollector() : guard(this) {}
  void process(const c10::Warning& warning) override { warnings.push_back(warning.msg()); }

  std::vector<std::string> warnings;
  c10::WarningUtils::WarningHandlerGuard guard;
};

void AttentionInputs::clear_gradients() const {
  for (const at::Tensor* input : {&q, &k, &v}) input->mutable_grad().reset();
}

void AttentionInputs::refill() const {
  for (const at::Tensor* input : {&q, &k, &v, &upstream}) input->variable_data().normal_();
}

AttentionInputs attention_inputs(const CellSpec& spec, std::int64_t length, c10::Device device) {
  const AttentionSweep sweep = spec.attention.value_or(AttentionSweep{});
  const Precision precision = spec.precision.value_or(Precision::kFp32);
  const auto options =
      at::TensorOptions().device(device).dtype(autocast_dtype(precision).value_or(at::kFloat));
  const bool eager = sweep.backend == AttentionBackend::kEager;
  std::vector<std::int64_t> shape{spec.batch.value_or(1), sweep.heads, length, sweep.head_dim};
  if (eager && sweep.heads == 1) shape.erase(shape.begin() + 1);
  if (sweep.backend == AttentionBackend::kCustom) {
    shape = {shape[0] * sweep.heads, length, sweep.head_dim};
  }
  AttentionInputs inputs;
  for (at::Tensor* input : {&inputs.q, &inputs.k, &inputs.v}) {
    *input = leaf(at::randn(shape, options));
  }
  inputs.upstream = at::randn(shape, options);
  if (eager) inputs.mask = causal_mask(length, device);
  return inputs;
}

at::Tensor attend(AttentionBackend backend, const AttentionInputs& inputs) {
  begin_phase(Phase::kForward);
  const auto& [q, k, v, upstream, mask] = inputs;
  if (backend == AttentionBackend::kEager) return scaled_dot_product(q, k, v, mask);
  return at::scaled_dot_product_attention(q, k, v, {}, /*dropout_p=*/0.0, /*is_causal=*/true);
}

BackendRestriction::BackendRestriction(AttentionBackend backend)
    : collector_(std::make_unique<WarningCollector>()) {
  at::Context& context = at::globalContext();
  flash_ = context.userEnabledFlashSDP();
  efficient_ = context.userEnabledMemEfficientSDP();
  cudnn_ = context.userEnabledCuDNNSDP();
  math_ = context.userEnabledMathSDP();
  overrideable_ = context.userEnabledOverrideableSDP();
  if (backend == AttentionBackend::kCustom) return;  // the user's code may call any backend
  context.setSDPUseFlash(backend == AttentionBackend::kFlash);
  context.setSDPUseMemEfficient(backend == AttentionBackend::kEfficient);
  context.setSDPUseCuDNN(backend == AttentionBackend::kCudnn);
  context.setSDPUseMath(backend == AttentionBackend::kMath);
  context.setSDPUseOverrideable(false);  // LibTorch has none for these devices: "Invalid backend"
}

BackendRestriction::~BackendRestriction() {
  at::Context& context = at::globalContext();
  context.setSDPUseFlash(flash_);
  context.setSDPUseMemEfficient(efficient_);
  context.setSDPUseCuDNN(cudnn_);
  context.setSDPUseMath(math_);
  context.setSDPUseOverrideable(overrideable_);
}

std::string BackendRestriction::reason(std::string_view message) const {
  return backend_reason(collector_->warnings, message);
}

std::string backend_reason(const std::vector<std::string>& warnings, std::string_view message) {
  std::string reason;
  for (std::string_view line : warnings) {
    line = line.substr(0, std::min(line.find('\n'), line.find(" (Triggered internally")));
    // A restriction disables all backends but one, so "runtime disabled" is no reason.
    const bool is_heading = line.find("not used because") != line.npos;
    if (is_heading || line.find("runtime disabled") != line.npos) continue;
    reason += (reason.empty() ? "" : " ") + std::string(line);
  }
  return reason.empty() ? std::string(message.substr(0, message.find('\n'))) : reason;
}

double AttentionErrors::largest_gradient() const {
  const bool finite = std::isfinite(grad_q + grad_k + grad_v);
  return finite ? std::max({grad_q, grad_k, grad_v}) : std::numeric_limits<double>::infinity();
}

AttentionErrors attention_errors(const AttentionImplementation& attention,
                                 const AttentionInputs& inputs, const ComparedQueries& compared) {
  const AttentionInputs fp64_inputs = in_fp64(inputs, compared);
  AttentionInputs unmasked_inputs = fp64_inputs;
  unmasked_inputs.mask = at::ones_like(fp64_inputs.mask);
  at::Tensor output;
  const std::int64_t forward_ns =
      synced_pass_ns(inputs.q.device(), [&] { output = attention.forward(inputs); });
  const at::Tensor fp64_output = attend(AttentionBackend::kEager, fp64_inputs);
  const at::Tensor unmasked_output = attend(AttentionBackend::kEager, unmasked_inputs);
  const at::Tensor rows = compared_rows(output, compared);
  AttentionErrors errors{
      .output = relative_difference(rows, fp64_output.detach()),
      .output_from_unmasked = relative_difference(rows, unmasked_output.detach())};
  if (!compared.with_gradients) return errors;
  try {
    const at::Tensor upstream = upstream_of(inputs, compared);
    errors.pass_ns = forward_ns + synced_pass_ns(inputs.q.device(), [&] {
                       attention.backward(output, upstream, /*retain_graph=*/false);
                     });
  } catch (const UserCodeError& error) {
    // Only the user's attention, which takes no mask, may lack a backward pass.
    if (inputs.mask.defined() || as_out_of_memory(error)) throw;
    errors.backward_failure = error.what();
    return errors;
  }
  fp64_output.backward(fp64_inputs.upstream);
  for (const auto& [error, name, tensor] : {std::tuple(&errors.grad_q, "q", &AttentionInputs::q),
                                            std::tuple(&errors.grad_k, "k", &AttentionInputs::k),
                                            std::tuple(&errors.grad_v, "v", &AttentionInputs::v)}) {
    at::Tensor gradient = (inputs.*tensor).grad();
    if (!gradient.defined()) {
      errors.backward_failure = fmt::format("backward gives {} no gradient", name);
      return errors;
    }
    if (tensor == &AttentionInputs::q) gradient = compared_rows(gradient, compared);
    *error = relative_difference(gradient, (fp64_inputs.*tensor).grad());
  }
  return errors;
}

double attention_tolerance(const CellSpec& spec) {
  if (under_autocast(spec)) return k16BitTolerance;
  const bool is_user_code = spec.attention && spec.attention->backend == AttentionBackend::kCustom;
  return is_user_code || spec.precision == Precision::kTf32 ? kTf32Tolerance : kFp32Tolerance;
}

}  // namespace labreport
