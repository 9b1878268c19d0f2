#include "measure/precision/dtypes.h"

#include <ATen/Context.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/sum.h>

#include "base/error.h"
#include "engine/device.h"
#include "engine/precision.h"
#include "measure/precision/dtype_table.h"
#include "measure/precision/network_dtypes.h"
#include "model/adamw.h"
#include "model/toy_model.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kFeatures = 20;
constexpr std::int64_t kClasses = 5;

at::Tensor traced_forward(const ToyModel& model, const at::Tensor& x, DtypeTable& table) {
  table.add(metric::kInput, "x", x);
  return model.forward(x, [&table](std::string_view module, const at::Tensor& output) {
    table.add(metric::kOutput, module, output);
  });
}

/// Several losses, because their dtypes differ under autocast; the first is trained on.
at::Tensor traced_losses(const at::Tensor& logits, const at::Tensor& classes,
                         const at::Tensor& values, DtypeTable& table) {
  at::Tensor loss = at::cross_entropy_loss(logits, classes);
  table.add(metric::kLossValue, "cross-entropy", loss);
  table.add(metric::kLossValue, "mse", at::mse_loss(logits, values));
  table.add(metric::kLossValue, "sum", at::sum(logits));
  table.add(metric::kLossValue, "mean", at::mean(logits));
  return loss;
}

void trace_toy_model(Precision precision, DeviceKind kind, DtypeTable& table) {
  const c10::Device device = torch_device(kind);
  const auto real = at::TensorOptions().dtype(c10::kFloat).device(device);
  const ToyModel model(kFeatures, kClasses, device);
  const at::Tensor x = at::randn({kBatch, kFeatures}, real);
  const at::Tensor classes = at::randint(kClasses, {kBatch}, real.dtype(c10::kLong));
  const at::Tensor values = at::randn({kBatch, kClasses}, real);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, kind);
    for (const Parameter& parameter : model.parameters()) {
      table.add(metric::kParameter, parameter.name, parameter.tensor);
    }
    loss = traced_losses(traced_forward(model, x, table), classes, values, table);
  }
  loss.backward();
  for (const Parameter& parameter : model.parameters()) {
    table.add(metric::kGradient, parameter.name, parameter.tensor.grad());
  }
  AdamW optimizer(model.parameters());
  optimizer.step();
  for (const Parameter& moment : optimizer.state()) {
    table.add(metric::kOptimizerState, moment.name, moment.tensor);
  }
}

void trace_own(const LaunchRequest& request, DtypeTable& table) {
  for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
    table.begin(precision);
    trace_toy_model(precision, request.spec.device, table);
    trace_network(precision, request.spec.device, table);
  }
}

void trace_named(const CellSpec& spec, DtypeTable& table) {
  if (!spec.model || !spec.context || !spec.batch) {
    throw InputError("a model's dtypes need its size, a context and a batch");
  }
  const c10::Device device = torch_device(spec.device);
  const Batch batch = random_batch(*spec.batch, *spec.context, spec.model->vocab, device);
  const auto network = make_network({spec.implementation, *spec.model, *spec.context}, device);
  for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
    table.begin(precision);
    trace_step(*network, batch, precision, spec.device, table);
  }
}

}  // namespace

Launch measure_dtypes(const LaunchRequest& request) {
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  DtypeTable table;
  request.spec.implementation.empty() ? trace_own(request, table)
                                      : trace_named(request.spec, table);
  Launch launch;
  launch.tables.push_back(table.take());
  return launch;
}

}  // namespace labreport
