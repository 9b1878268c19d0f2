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

class TensorRows {
 public:
  explicit TensorRows(const DtypeTrace& trace) : trace_(trace) {}

  /// Adds one row for all tensors of a group.
  void add_group(const std::string& label, std::string_view group) {
    rows_.push_back({label, trace_.dtypes_of(kFp16, group), trace_.dtypes_of(kBf16, group)});
  }
  void add_counted_group(const std::string& label, std::string_view group) {
    const auto count = static_cast<std::int64_t>(trace_.tensors_in(kFp16, group).size());
    add_group(label + " (" + format_plural(count, "tensor") + ")", group);
  }
  /// Adds a row for each tensor of a group.
  void add_each(const std::string& label_start, std::string_view group) {
    for (const TracedTensor& tensor : trace_.tensors_in(kFp16, group)) {
      rows_.push_back({label_start + tensor_words(tensor.name), tensor.dtype,
                       trace_.dtype_of(kBf16, group, tensor.name)});
    }
  }
  std::vector<TensorRow> take() { return std::move(rows_); }

 private:
  const DtypeTrace& trace_;
  std::vector<TensorRow> rows_;
};

/// Returns a row for each output and each loss, and one row each for all parameters, all gradients
/// and the whole optimizer state.
std::vector<TensorRow> toy_model_rows(const DtypeTrace& trace) {
  TensorRows rows(trace);
  rows.add_counted_group("parameters", metric::kParameter);
  rows.add_each("output of ", metric::kOutput);
  rows.add_each("loss: ", metric::kLossValue);
  rows.add_counted_group("gradients", metric::kGradient);
  rows.add_counted_group("the optimizer's state", metric::kOptimizerState);
  return rows.take();
}

/// Returns rows without numbers of tensors, which the trace of the user's model does not tell.
std::vector<TensorRow> users_model_rows(const DtypeTrace& trace) {
  TensorRows rows(trace);
  rows.add_group("parameters", metric::kParameter);
  rows.add_each("output of ", metric::kOutput);
  rows.add_group("loss", metric::kLossValue);
  rows.add_group("gradients", metric::kGradient);
  rows.add_group("optimizer state", metric::kOptimizerState);
  return rows.take();
}

Facts traced_facts(const DtypeTrace& trace, const std::vector<TensorRow>& rows, bool on_gpu) {
  const auto output_dtype = [&](const char* name) {
    return trace.dtype_of(kFp16, metric::kOutput, name);
  };
  Facts facts;
  facts.set("parameters", trace.dtypes_of(kFp16, metric::kParameter));
  for (const char* module : {"fc1", "ln", "fc2"}) facts.set(module, output_dtype(module));
  facts.set("loss", trace.dtype_of(kFp16, metric::kLossValue, "cross-entropy"));
  facts.set("mean_loss", trace.dtype_of(kFp16, metric::kLossValue, "mean"));
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
  if (cell == nullptr) {
    part.facts.when("model", std::nullopt);
    return;
  }
  const Launch* launch = ok_launch(*cell);
  part.facts.when(
      "model",
      Facts().set("implementation", cell->spec.implementation).set("size", cell->spec.size));
  if (launch == nullptr) return;
  part.datasets.push_back(
      make_dataset("model-dtypes", kTensors, users_model_rows(dtype_trace(launch))));
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
  const auto rows = launch ? toy_model_rows(trace) : std::vector<TensorRow>();
  PartContent part;
  part.facts.when("traced", launch != nullptr, traced_facts(trace, rows, view.on_gpu()));
  part.cells = {cell};
  part.datasets = {make_dataset("dtypes", kTensors, rows)};
  add_users_model(part, view);
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), {cell})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
