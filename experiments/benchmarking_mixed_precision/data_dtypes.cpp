// Part (a): the dtype of each tensor of the toy model.
#include "base/format.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr const char* kTrainedOn = "cross-entropy";

std::string loss_words(const std::string& name) {
  if (name == "mse") return "squared error of the logits";
  if (name == "sum") return "sum of the logits";
  return name == "mean" ? "mean of the logits" : name;
}

/// Where groups of tensors that are alike share a row.
std::vector<TensorRow> summary(const Trace& trace) {
  const auto together = [&](const std::string& what, std::string_view group) {
    const auto count = static_cast<std::int64_t>(trace.in(kFp16, group).size());
    return TensorRow{what + " (" + format_plural(count, "tensor") + ")", trace.dtypes(kFp16, group),
                     trace.dtypes(kBf16, group)};
  };
  std::vector<TensorRow> rows =
      trace.rows({{"input ", metric::kInput}, {"output of ", metric::kOutput}});
  rows.insert(rows.begin(), together("parameters", metric::kParameter));
  for (const TracedDtype& loss : trace.in(kFp16, metric::kLossValue)) {
    rows.push_back({"loss: " + loss_words(loss.name), loss.dtype,
                    trace.dtype(kBf16, metric::kLossValue, loss.name)});
  }
  rows.push_back(together("gradients", metric::kGradient));
  rows.push_back(together("AdamW's moments", metric::kOptimizerState));
  return rows;
}

/// Under BF16 autocast the same tensors are 16-bit as under FP16.
bool same_pattern(const Trace& trace) {
  for (const auto group : {metric::kParameter, metric::kOutput, metric::kLossValue,
                           metric::kGradient, metric::kOptimizerState}) {
    for (const TracedDtype& tensor : trace.in(kFp16, group)) {
      const std::string expected = tensor.dtype == "FP16" ? "BF16" : tensor.dtype;
      if (trace.dtype(kBf16, group, tensor.name) != expected) return false;
    }
  }
  return true;
}

std::vector<Facts> other_losses(const Trace& trace) {
  std::vector<Facts> list;
  for (const TracedDtype& loss : trace.in(kFp16, metric::kLossValue)) {
    if (loss.name == kTrainedOn) continue;
    list.emplace_back();
    list.back().set("loss", loss_words(loss.name));
    list.back().set("dtype", loss.dtype);
  }
  return list;
}

Facts traced_facts(const Trace& trace) {
  Facts facts;
  facts.set("parameters", trace.dtypes(kFp16, metric::kParameter));
  for (const char* module : {"fc1", "relu", "ln", "fc2"}) {
    facts.set(module, trace.dtype(kFp16, metric::kOutput, module));
  }
  facts.set("cross_entropy", trace.dtype(kFp16, metric::kLossValue, kTrainedOn));
  facts.list("other_losses", other_losses(trace));
  facts.set("gradients", trace.dtypes(kFp16, metric::kGradient));
  facts.set("moments", trace.dtypes(kFp16, metric::kOptimizerState));
  facts.flag("same", same_pattern(trace));
  facts.flag("differs", !same_pattern(trace));
  // CUDA's autocast runs it in FP32; a CPU's does not.
  const std::string norm = trace.dtype(kFp16, metric::kOutput, "ln");
  facts.flag("norm_stays", norm != "FP32" && norm != "–");
  return facts;
}

}  // namespace

std::optional<PartContent> present_dtypes(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kDtypes);
  if (cell == nullptr) return std::nullopt;
  const Launch* launch = ok_launch(*cell);
  const Trace trace = trace_of(launch);
  PartContent part;
  part.facts.when("traced", launch ? std::optional(traced_facts(trace)) : std::nullopt);
  part.facts.when("missing", !launch, "reason", reason_missing(*cell));
  part.cells = {cell};
  if (launch) part.datasets = {make_dataset("dtypes", kTensors, summary(trace))};
  part.datasets.push_back(make_dataset("tensors", kTensors,
                                       trace.rows({{"parameter ", metric::kParameter},
                                                   {"gradient of ", metric::kGradient},
                                                   {"moment ", metric::kOptimizerState}})));
  part.details.tables = {
      commands_table(view.run(), kProblem + std::string(".a"), {{"dtypes", cell}})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
