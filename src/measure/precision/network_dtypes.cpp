#include "measure/precision/network_dtypes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <memory>
#include <set>
#include <tuple>

#include "engine/device.h"
#include "engine/precision.h"
#include "model/attention.h"
#include "model/linear.h"
#include "model/rms_norm.h"
#include "model/rotary.h"
#include "model/swiglu.h"
#include "results/metric_names.h"
#include "results/module_path.h"

namespace labreport {
namespace {

constexpr std::int64_t kWidth = 32;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kVocab = 16;
constexpr std::int64_t kPositions = 4;

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

/// Adds each name and dtype once, whatever the number of its layer.
class Alike {
 public:
  explicit Alike(DtypeTable& table) : table_(table) {}
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

Parameters gradients(const Network& network) {
  Parameters found;
  for (const Parameter& parameter : network.parameters()) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) found.push_back({parameter.name, gradient});
  }
  return found;
}

}  // namespace

void trace_step(const Network& network, const Batch& batch, Precision precision, DeviceKind kind,
                DtypeTable& table) {
  Alike rows(table);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, kind);
    rows.add_all(metric::kParameter, network.parameters());
    const auto output = [&](const std::string& module, const at::Tensor& tensor) {
      rows.add(metric::kOutput, module, tensor);
    };
    const at::Tensor logits = network.traced_forward(batch.ids, output);
    output("logits", logits);
    loss = network.loss(logits, batch.targets);
    rows.add(metric::kLossValue, "loss", loss);
  }
  network.backward(loss);
  rows.add_all(metric::kGradient, gradients(network));
  const std::unique_ptr<Optimizer> optimizer = network.make_optimizer();
  optimizer->step();
  rows.add_all(metric::kOptimizerState, optimizer->state());
  clear_gradients(network.parameters());
}

void trace_network(Precision precision, DeviceKind kind, DtypeTable& table) {
  const AutocastScope autocast(precision, kind);
  trace_norms(precision, torch_device(kind), table);
  trace_block(torch_device(kind), table);
}

}  // namespace labreport
