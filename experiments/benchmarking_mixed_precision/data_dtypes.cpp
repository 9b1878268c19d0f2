// Part (a): the dtype of each tensor of the toy model and of the user's model.
#include "base/format.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr const char* kTrainedOn = "cross-entropy";

/// The dtypes of one tensor, or of several tensors together, under both autocasts.
struct TensorRow {
  std::string tensor, fp16, bf16;
};

const std::vector<Column<TensorRow>> kTensors{{"tensor", "Tensor", &TensorRow::tensor},
                                              {"fp16", "FP16 autocast", &TensorRow::fp16},
                                              {"bf16", "BF16 autocast", &TensorRow::bf16}};

std::string loss_words(const std::string& name) {
  if (name == "mse") return "squared error of the logits";
  if (name == "sum") return "sum of the logits";
  return name == "mean" ? "mean of the logits" : name;
}

class Rows {
 public:
  explicit Rows(const Trace& trace) : trace_(trace) {}

  void together(const std::string& what, std::string_view group) {
    rows_.push_back({what, trace_.dtypes(kFp16, group), trace_.dtypes(kBf16, group)});
  }
  void counted(const std::string& what, std::string_view group) {
    const auto count = static_cast<std::int64_t>(trace_.in(kFp16, group).size());
    together(what + " (" + format_plural(count, "tensor") + ")", group);
  }
  void singly(const std::string& what, std::string_view group) {
    for (const TracedDtype& tensor : trace_.in(kFp16, group)) {
      rows_.push_back(
          {what + loss_words(tensor.name), tensor.dtype, trace_.dtype(kBf16, group, tensor.name)});
    }
  }
  std::vector<TensorRow> take() { return std::move(rows_); }

 private:
  const Trace& trace_;
  std::vector<TensorRow> rows_;
};

/// Each output and each loss has a row. All parameters share one, as do gradients and states.
std::vector<TensorRow> summary(const Trace& trace) {
  Rows rows(trace);
  rows.counted("parameters", metric::kParameter);
  rows.singly("output of ", metric::kOutput);
  rows.singly("loss: ", metric::kLossValue);
  rows.counted("gradients", metric::kGradient);
  rows.counted("the optimizer's state", metric::kOptimizerState);
  return rows.take();
}

/// Rows of the user's model do not say how many tensors they stand for, as the trace does not tell.
std::vector<TensorRow> summary_of_model(const Trace& trace) {
  Rows rows(trace);
  rows.together("parameters", metric::kParameter);
  rows.singly("output of ", metric::kOutput);
  rows.together("loss", metric::kLossValue);
  rows.together("gradients", metric::kGradient);
  rows.together("optimizer state", metric::kOptimizerState);
  return rows.take();
}

Facts traced_facts(const Trace& trace, const std::vector<TensorRow>& rows, bool on_gpu) {
  const auto output = [&](const char* name) { return trace.dtype(kFp16, metric::kOutput, name); };
  const std::string loss = trace.dtype(kFp16, metric::kLossValue, kTrainedOn);
  const std::string mean = trace.dtype(kFp16, metric::kLossValue, "mean");
  Facts facts;
  facts.set("parameters", trace.dtypes(kFp16, metric::kParameter));
  for (const char* module : {"fc1", "ln", "fc2"}) facts.set(module, output(module));
  facts.set("loss", loss);
  facts.when("other_mean", mean != loss, "dtype", mean);
  facts.set("gradients", trace.dtypes(kFp16, metric::kGradient));
  // A CPU's autocast leaves layer normalization in the dtype of its input.
  facts.flag("norm_stays", !on_gpu && output("ln") == "FP16");
  // BF16 autocast gives BF16 wherever FP16 autocast gives FP16, and FP32 elsewhere.
  const auto same = [](const TensorRow& row) {
    return row.fp16 == "FP16" ? row.bf16 == "BF16" : row.fp16 == "FP32" && row.bf16 == "FP32";
  };
  facts.flag("same", !rows.empty() && std::ranges::all_of(rows, same));
  return facts;
}

void add_model(PartContent& part, const RunView& view) {
  const Cell* cell = view.cell(CellKind::kDtypes,
                               [](const CellSpec& spec) { return !spec.implementation.empty(); });
  if (cell == nullptr) {
    part.facts.when("model", std::nullopt);
    return;
  }
  const Launch* launch = ok_launch(*cell);
  Facts facts;
  facts.set("implementation", cell->spec.implementation);
  facts.set("size", cell->spec.size);
  facts.when("untraced", launch == nullptr, "reason", reason_missing(*cell));
  part.facts.when("model", facts);
  if (launch == nullptr) return;
  part.datasets.push_back(
      make_dataset("model-dtypes", kTensors, summary_of_model(trace_of(launch))));
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
  const Trace trace = trace_of(launch);
  const auto rows = launch ? summary(trace) : std::vector<TensorRow>();
  PartContent part;
  part.facts.when("traced", launch != nullptr, traced_facts(trace, rows, view.on_gpu()));
  part.facts.when("missing", !launch, "reason", reason_missing(*cell));
  part.cells = {cell};
  part.datasets = {make_dataset("dtypes", kTensors, rows)};
  add_model(part, view);
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), {cell})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
