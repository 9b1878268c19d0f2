#include "measure/catalog.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/sum.h>

#include <memory>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "engine/device.h"
#include "engine/precision.h"
#include "model/adamw.h"
#include "model/attention.h"
#include "model/linear.h"
#include "model/network.h"
#include "model/rms_norm.h"
#include "model/rotary.h"
#include "model/swiglu.h"
#include "model/toy_model.h"
#include "model/training_step.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::int64_t kBatch = 8, kFeatures = 20, kClasses = 5;

/// Returns PyTorch's name of the dtype.
std::string dtype_name(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::kFloat:
      return "float32";
    case c10::kHalf:
      return "float16";
    case c10::kBFloat16:
      return "bfloat16";
    case c10::kDouble:
      return "float64";
    default:
      return c10::toString(dtype);
  }
}

/// The table "dtypes", with one row for each traced tensor.
class DtypeTable {
 public:
  /// Sets autocast's precision for the rows that are added from now on.
  void set_precision(Precision precision) { precision_ = precision; }

  void add(std::string_view group, std::string_view name, const at::Tensor& tensor) {
    add(group, name, dtype_name(tensor.scalar_type()));
  }
  void add(std::string_view group, std::string_view name, const std::string& dtype) {
    table_.rows.push_back(
        {std::string(labreport::name(precision_)), std::string(group), std::string(name), dtype});
  }

  Table take() { return std::move(table_); }

 private:
  Precision precision_ = Precision::kFp16;
  Table table_ = empty_table(metric::kDtypes);
};

/// Adds several losses, whose dtypes differ under autocast. Returns the one for training.
at::Tensor trace_losses(const at::Tensor& logits, const at::Tensor& classes,
                        const at::Tensor& target_values, DtypeTable& table) {
  at::Tensor loss = at::cross_entropy_loss(logits, classes);
  table.add(metric::kLossValue, "cross-entropy", loss);
  table.add(metric::kLossValue, "mse", at::mse_loss(logits, target_values));
  table.add(metric::kLossValue, "sum", at::sum(logits));
  table.add(metric::kLossValue, "mean", at::mean(logits));
  return loss;
}

void trace_toy_model(Precision precision, DeviceKind kind, DtypeTable& table) {
  const c10::Device device = torch_device(kind);
  const auto fp32_options = at::TensorOptions().dtype(c10::kFloat).device(device);
  const ToyModel model(kFeatures, kClasses, device);
  const at::Tensor x = at::randn({kBatch, kFeatures}, fp32_options);
  const at::Tensor classes = at::randint(kClasses, {kBatch}, fp32_options.dtype(c10::kLong));
  const at::Tensor target_values = at::randn({kBatch, kClasses}, fp32_options);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, kind);
    for (const Parameter& parameter : model.parameters()) {
      table.add(metric::kParameter, parameter.name, parameter.tensor);
    }
    table.add(metric::kInput, "x", x);
    const at::Tensor logits =
        model.forward(x, [&table](std::string_view module, const at::Tensor& output) {
          table.add(metric::kOutput, module, output);
        });
    loss = trace_losses(logits, classes, target_values, table);
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

constexpr std::int64_t kWidth = 32, kHeads = 2, kVocab = 16, kPositions = 4;

/// Traces layer and RMS normalization of a 16-bit tensor.
void trace_norms(Precision precision, c10::Device device, DtypeTable& table) {
  const auto options = at::TensorOptions().dtype(*autocast_dtype(precision)).device(device);
  const at::Tensor x = at::randn({1, kPositions, kWidth}, options);
  table.add(metric::kNorm, "input", x);
  table.add(metric::kNorm, "layer_norm", at::layer_norm(x, {kWidth}));
  table.add(metric::kNorm, "rms_norm", RmsNorm(kWidth, device).forward(x));
}

void trace_block(c10::Device device, DtypeTable& table) {
  const auto traced = [&table](std::string_view module, at::Tensor output) {
    table.add(metric::kNetwork, module, output);
    return output;
  };
  const auto ids =
      at::randint(kVocab, {1, kPositions}, at::TensorOptions().dtype(c10::kLong).device(device));
  const auto rotary = std::make_shared<const Rotary>(kPositions, kWidth / kHeads, device);
  at::Tensor x = traced("token_embeddings", Embedding(kVocab, kWidth, device).forward(ids));
  at::Tensor normed = traced("ln1", RmsNorm(kWidth, device).forward(x));
  const Attention attention(kWidth, kHeads, rotary, device);
  x = traced("residual", x + traced("attn", attention.forward(normed)));
  normed = traced("ln2", RmsNorm(kWidth, device).forward(x));
  traced("ffn", SwiGlu(kWidth, 2 * kWidth, device).forward(normed));
  traced("lm_head", Linear(kWidth, kVocab, device).forward(x));
}

/// Adds one row for the tensors of all layers that have the same name and dtype.
class DistinctRows {
 public:
  explicit DistinctRows(DtypeTable& table) : table_(table) {}
  void add(std::string_view group, const std::string& name, const at::Tensor& tensor) {
    const std::string path = without_layer(name);
    if (seen_.emplace(group, path, tensor.scalar_type()).second) table_.add(group, path, tensor);
  }
  void add_all(std::string_view group, const Parameters& tensors) {
    for (const Parameter& tensor : tensors) add(group, tensor.name, tensor.tensor);
  }

 private:
  DtypeTable& table_;
  std::set<std::tuple<std::string_view, std::string, c10::ScalarType>> seen_;
};

/// Traces a training step of `network` on `batch`: parameters, outputs of modules, logits, loss,
/// gradients and optimizer state. Layers' tensors with the same name and dtype share a row.
void trace_step(const Network& network, const Batch& batch, Precision precision, DeviceKind kind,
                DtypeTable& table) {
  DistinctRows rows(table);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, kind);
    rows.add_all(metric::kParameter, network.parameters());
    const auto add_output = [&](const std::string& module, const at::Tensor& tensor) {
      rows.add(metric::kOutput, module, tensor);
    };
    const at::Tensor logits = network.traced_forward(batch.ids, add_output);
    add_output("logits", logits);
    loss = network.loss(logits, batch.targets);
    rows.add(metric::kLossValue, "loss", loss);
  }
  network.backward(loss);
  for (const Parameter& parameter : network.parameters()) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) rows.add(metric::kGradient, parameter.name, gradient);
  }
  const std::unique_ptr<Optimizer> optimizer = network.make_optimizer();
  optimizer->step();
  rows.add_all(metric::kOptimizerState, optimizer->state());
  clear_gradients(network.parameters());
}

/// Counts one step of the cell's mode.
std::vector<Metric> count_step(const Network& network, const Batch& batch, const CellSpec& spec,
                               DtypeTable& table) {
  const CountedStep counted = network.count_step(batch, spec.mode.value_or(Mode::kTrainStep));
  std::vector<Metric> metrics;
  const auto add = [&](std::string_view name, std::int64_t value) {
    metrics.push_back(integer_metric(metric::kFlops, name, "1", value));
  };
  for (const auto& [phase, flops] : counted.flops) add(phase, flops);
  std::int64_t elements = 0;
  for (const Parameter& parameter : network.parameters()) elements += parameter.tensor.numel();
  add(metric::kParameters, elements);
  if (!counted.hidden.empty()) {
    metrics.push_back(text_metric(metric::kHidden, metric::kFlops, join(counted.hidden, ", ")));
  }
  table.set_precision(*spec.precision);
  DistinctRows rows(table);
  rows.add_all(metric::kParameter, network.parameters());
  for (const at::Tensor& buffer : network.buffers()) {
    if (buffer.is_floating_point()) rows.add(metric::kBuffer, "", buffer);
  }
  for (const auto& [name, dtype] : counted.products) table.add(metric::kProduct, name, dtype);
  return metrics;
}

/// Traces the implementation under FP16 and BF16, or counts a step if the cell has a precision.
std::vector<Metric> trace_implementation(const CellSpec& spec, DtypeTable& table) {
  if (!spec.model || !spec.context || !spec.batch) {
    throw InputError("a model's dtypes need its size, a context and a batch");
  }
  const c10::Device device = torch_device(spec.device);
  const Batch batch = random_batch(*spec.batch, *spec.context, spec.model->vocab, device);
  const auto network = make_network({spec.implementation, *spec.model, *spec.context}, device);
  if (spec.precision) return count_step(*network, batch, spec, table);
  if (network->has_own_step()) return {};  // Its maker only ran steps, to see whether they train.
  for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
    table.set_precision(precision);
    trace_step(*network, batch, precision, spec.device, table);
  }
  return {};
}

}  // namespace

Launch measure_dtypes(const LaunchRequest& request) {
  set_tf32(request.spec.precision.value_or(Precision::kFp32));
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  const DeviceKind kind = request.spec.device;
  DtypeTable table;
  Launch launch;
  if (!request.spec.implementation.empty()) {
    launch.metrics = trace_implementation(request.spec, table);
  } else {
    for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
      table.set_precision(precision);
      trace_toy_model(precision, kind, table);
      const AutocastScope autocast(precision, kind);
      trace_norms(precision, torch_device(kind), table);
      trace_block(torch_device(kind), table);
    }
  }
  launch.tables.push_back(table.take());
  return launch;
}

}  // namespace labreport
