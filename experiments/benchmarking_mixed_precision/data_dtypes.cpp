// Part (a): the dtype of each tensor of the toy model and of the user's model.
#include "base/format.h"
#include "experiments/benchmarking_mixed_precision/dtype_trace.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/common/command.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

/// The dtypes of one tensor, or of a group of tensors, under both autocasts.
struct TensorRow {
  std::string tensor, fp16, bf16;
};

const std::vector<Column<TensorRow>> kTensors{{"tensor", "Tensor", &TensorRow::tensor},
                                              {"fp16", "FP16 autocast", &TensorRow::fp16},
                                              {"bf16", "BF16 autocast", &TensorRow::bf16}};

std::string tensor_words(const std::string& name) {
  if (name == "mse") return "squared error of the logits";
  if (name == "sum") return "sum of the logits";
  return name == "mean" ? "mean of the logits" : name;
}

/// Returns a row for each output, and one for all tensors of any other group. Only the toy model's
/// trace tells the losses one by one, and how many tensors a group has.
std::vector<TensorRow> tensor_rows(const DtypeTrace& trace, bool is_toy_model) {
  std::vector<TensorRow> rows;
  const auto add_group = [&](std::string label, std::string_view group) {
    const auto count = static_cast<std::int64_t>(trace.tensors_in(kFp16, group).size());
    if (is_toy_model) label += " (" + format_plural(count, "tensor") + ")";
    rows.push_back({label, trace.dtypes_of(kFp16, group), trace.dtypes_of(kBf16, group)});
  };
  const auto add_each = [&](const std::string& label_start, std::string_view group) {
    for (const TracedTensor& tensor : trace.tensors_in(kFp16, group)) {
      rows.push_back({label_start + tensor_words(tensor.name), tensor.dtype,
                      trace.dtypes_of(kBf16, group, tensor.name)});
    }
  };
  add_group("parameters", metric::kParameter);
  add_each("output of ", metric::kOutput);
  is_toy_model ? add_each("loss: ", metric::kLossValue) : add_group("loss", metric::kLossValue);
  add_group("gradients", metric::kGradient);
  add_group("optimizer state", metric::kOptimizerState);
  return rows;
}

Facts traced_facts(const DtypeTrace& trace, const std::vector<TensorRow>& rows, bool on_gpu) {
  const auto output_dtype = [&](const char* name) {
    return trace.dtypes_of(kFp16, metric::kOutput, name);
  };
  Facts facts;
  facts.set("parameters", trace.dtypes_of(kFp16, metric::kParameter));
  for (const char* module : {"fc1", "ln", "fc2"}) facts.set(module, output_dtype(module));
  facts.set("loss", trace.dtypes_of(kFp16, metric::kLossValue, "cross-entropy"));
  facts.set("mean_loss", trace.dtypes_of(kFp16, metric::kLossValue, "mean"));
  facts.set("gradients", trace.dtypes_of(kFp16, metric::kGradient));
  // A CPU's autocast leaves layer normalization in the dtype of its input.
  facts.flag("norm_stays", !on_gpu && output_dtype("ln") == "FP16");
  // BF16 autocast gives BF16 wherever FP16 autocast gives FP16, and FP32 elsewhere.
  const auto bf16_replaces_fp16 = [](const TensorRow& row) {
    return row.fp16 == "FP16" ? row.bf16 == "BF16" : row.fp16 == "FP32" && row.bf16 == "FP32";
  };
  facts.flag("same", !rows.empty() && std::ranges::all_of(rows, bf16_replaces_fp16));
  return facts;
}

void add_users_model(PartContent& part, const RunView& view) {
  const Cell* cell = view.cell(CellKind::kDtypes, [](const CellSpec& spec) {
    return !spec.implementation.empty() && !spec.precision;
  });
  if (cell == nullptr || measures_own_step(view.run())) {  // Steps of the user's have no trace.
    part.facts.when("model", std::nullopt);
    return;
  }
  const Launch* launch = ok_launch(*cell);
  part.facts.when("model", true, "implementation", cell->spec.implementation);
  if (launch == nullptr) return;
  part.datasets.push_back(
      make_dataset("model-dtypes", kTensors, tensor_rows(dtype_trace(launch), false)));
}

}  // namespace

const Cell* toy_model_cell(const RunView& view) {
  return view.cell(CellKind::kDtypes,
                   [](const CellSpec& spec) { return spec.implementation.empty(); });
}

std::optional<PartContent> present_dtypes(const RunView& view) {
  const Cell* cell = toy_model_cell(view);
  if (cell == nullptr) return std::nullopt;
  const Launch* launch = ok_launch(*cell);
  const DtypeTrace trace = dtype_trace(launch);
  const auto rows = launch ? tensor_rows(trace, true) : std::vector<TensorRow>();
  PartContent part;
  part.set_answer(launch ? std::optional(traced_facts(trace, rows, view.on_gpu())) : std::nullopt);
  part.cells = {cell};
  part.datasets = {make_dataset("dtypes", kTensors, rows)};
  add_users_model(part, view);
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), {cell})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
