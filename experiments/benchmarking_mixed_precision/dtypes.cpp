// Part (a): the dtype of each tensor of the toy model.
#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/flow_chart.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "experiments/common/table_cells.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

TableView two_columns(const std::string& slug, const std::string& title, const char* what) {
  return {slug,
          title,
          {{what, "", Align::kLeft},
           {"FP16 autocast", "", Align::kLeft},
           {"BF16 autocast", "", Align::kLeft}},
          {}};
}

void add(TableView& table, const std::string& what, const std::string& fp16,
         const std::string& bf16) {
  table.rows.push_back({{text_cell(what), text_cell(fp16), text_cell(bf16)}, {}, ""});
}

/// One row for a group whose tensors are all alike in kind.
void add_group(TableView& table, const Traced& traced, const std::string& what,
               std::string_view group) {
  const auto count = static_cast<std::int64_t>(traced.group(kFp16, group).size());
  add(table, what + " (" + format_plural(count, "tensor") + ")", traced.dtypes(kFp16, group),
      traced.dtypes(kBf16, group));
}

void add_each(TableView& table, const Traced& traced, const std::string& prefix,
              std::string_view group) {
  for (const TracedDtype& row : traced.group(kFp16, group)) {
    const std::string name = row.name == "mse" ? "squared error" : row.name;
    add(table, prefix + name, row.dtype, traced.dtype(kBf16, group, row.name));
  }
}

TableView dtypes_table(const Traced& traced) {
  TableView table = two_columns("dtypes", "Dtypes, traced from live tensors", "Tensor");
  add_group(table, traced, "parameters", metric::kParameter);
  add_each(table, traced, "input ", metric::kInput);
  add_each(table, traced, "output of ", metric::kOutput);
  add_each(table, traced, "loss: ", metric::kLossValue);
  add_group(table, traced, "gradients", metric::kGradient);
  add_group(table, traced, "AdamW's moments", metric::kOptimizerState);
  return table;
}

TableView every_tensor(const Traced& traced) {
  TableView table = two_columns("tensors", "Every tensor", "Tensor");
  add_each(table, traced, "parameter ", metric::kParameter);
  add_each(table, traced, "gradient of ", metric::kGradient);
  add_each(table, traced, "moment ", metric::kOptimizerState);
  return table;
}

TableView arrows_table(const Traced& traced) {
  const Flow fp16 = flow_of(traced, kFp16, "");
  const Flow bf16 = flow_of(traced, kBf16, "");
  // Each was traced by itself: one may have fewer modules.
  const auto arrow = [](const Flow& flow, std::size_t i) {
    return i < flow.arrows.size() ? flow.arrows[i] : "–";
  };
  TableView table = two_columns("arrows", "Dtypes on the arrows", "From, to");
  for (std::size_t i = 0; i < fp16.arrows.size(); ++i) {
    add(table, fp16.modules[i] + " → " + fp16.modules[i + 1], fp16.arrows[i], arrow(bf16, i));
  }
  return table;
}

Figure flow_figure(const Traced& traced) {
  return {.slug = "dtype-flow",
          .title = "Dtypes on their way through the toy model",
          .caption =
              "Each box is a module, each arrow the tensor between two, with its dtype "
              "under FP16 and under BF16 autocast.",
          .alt =
              "The toy model from input to loss, once under FP16 and once under BF16 "
              "autocast. The table below holds the same dtypes.",
          .spec = flow_chart(
              {flow_of(traced, kFp16, "FP16 autocast"), flow_of(traced, kBf16, "BF16 autocast")}),
          .data = arrows_table(traced)};
}

/// Under BF16 autocast the same tensors are 16-bit as under FP16.
bool same_pattern(const Traced& traced) {
  for (const auto group : {metric::kParameter, metric::kOutput, metric::kLossValue,
                           metric::kGradient, metric::kOptimizerState}) {
    for (const TracedDtype& row : traced.group(kFp16, group)) {
      const std::string expected = row.dtype == "FP16" ? "BF16" : row.dtype;
      if (traced.dtype(kBf16, group, row.name) != expected) return false;
    }
  }
  return true;
}

std::string loss_words(const std::string& name) {
  if (name == "mse") return "the squared error";
  if (name == "sum") return "a bare sum of the logits";
  return name == "mean" ? "their bare mean" : name;
}

/// "FP32 for the squared error and a bare sum of the logits, FP16 for their bare mean"
std::string other_losses(const Traced& traced) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_dtype;
  for (const TracedDtype& row : traced.group(kFp16, metric::kLossValue)) {
    if (row.name == "cross-entropy") continue;
    if (by_dtype.empty() || by_dtype.back().first != row.dtype) by_dtype.push_back({row.dtype, {}});
    by_dtype.back().second.push_back(loss_words(row.name));
  }
  std::vector<std::string> clauses;
  for (const auto& [dtype, losses] : by_dtype)
    clauses.push_back(dtype + " for " + join_words(losses));
  return join(clauses, ", ");
}

void set_dtypes(Facts& facts, const Traced& traced) {
  facts.set("parameters", traced.dtypes(kFp16, metric::kParameter));
  for (const char* module : {"fc1", "relu", "ln", "fc2"}) {
    facts.set(module, traced.dtype(kFp16, metric::kOutput, module));
  }
  facts.set("cross_entropy", traced.dtype(kFp16, metric::kLossValue, "cross-entropy"));
  facts.set("other_losses", other_losses(traced));
  facts.set("gradients", traced.dtypes(kFp16, metric::kGradient));
  facts.set("moments", traced.dtypes(kFp16, metric::kOptimizerState));
}

Facts make_facts(const Launch* launch, const std::string& reason) {
  Facts facts;
  const bool traced = launch != nullptr;
  facts.flag("traced", traced);
  facts.flag("missing", !traced);
  facts.set("reason", reason);
  static const Launch nothing{};
  const Traced dtypes(traced ? *launch : nothing);
  set_dtypes(facts, dtypes);
  facts.flag("same", traced && same_pattern(dtypes));
  facts.flag("differs", traced && !same_pattern(dtypes));
  // What CUDA's autocast does; a processor's keeps LayerNorm in the input's dtype.
  const std::string norm = dtypes.dtype(kFp16, metric::kOutput, "ln");
  facts.flag("norm_stays", traced && norm != "FP32");
  return facts;
}

}  // namespace

std::optional<PartContent> present_dtypes(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kDtypes);
  if (cell == nullptr) return std::nullopt;
  const Launch* launch = ok_launch(*cell);
  PartContent part;
  part.facts = make_facts(launch, reason_missing(*cell));
  part.cells = {cell};
  if (launch != nullptr) {
    const Traced traced(*launch);
    part.figures = {flow_figure(traced)};
    part.tables = {dtypes_table(traced)};
    part.drawer.tables = {every_tensor(traced)};
  }
  part.drawer.tables.push_back(
      commands_table(view.run(), kProblem + std::string(".a"), {{"dtypes", cell}}));
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
