// Part (b): which parts of layer normalisation are sensitive, by evidence.
#include "base/format.h"
#include "experiments/benchmarking_mixed_precision/norm_tables.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "experiments/common/table_cells.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

std::string scale_words(std::optional<std::int64_t> scale) {
  return scale ? power_of_two(*scale) : "no scale";
}

std::string output_error(const std::vector<NormRow>& rows, const char* format,
                         std::string_view method) {
  const NormRow* row = find(rows, format, method, widths(rows).back(), 0);
  return row == nullptr ? "–" : error_percent(row->output);
}

bool overflows(const std::vector<NormRow>& rows, const char* format) {
  const auto found = curve(rows, format, metric::kRounded, widths(rows).back());
  return first_scale(found, &NormRow::square_overflow).has_value() ||
         first_scale(found, &NormRow::sum_overflow).has_value();
}

void set_errors(Facts& facts, const std::vector<NormRow>& rows) {
  const auto fp16 = curve(rows, kFp16, metric::kRounded, widths(rows).back());
  facts.set("width", format_count(widths(rows).back()));
  facts.set("square_scale", scale_words(first_scale(fp16, &NormRow::square_overflow)));
  facts.set("sum_scale", scale_words(first_scale(fp16, &NormRow::sum_overflow)));
  facts.set("vanish_scale", scale_words(last_scale(fp16, &NormRow::underflow)));
  facts.flag("fp16_overflows", overflows(rows, kFp16));
  facts.flag("fp16_vanishes", last_scale(fp16, &NormRow::underflow).has_value());
  facts.flag("bf16_overflows", overflows(rows, kBf16));
  for (const auto& [format, prefix] : {std::pair{kFp16, "fp16_"}, std::pair{kBf16, "bf16_"}}) {
    facts.set(std::string(prefix) + "rounded", output_error(rows, format, metric::kRounded));
    facts.set(std::string(prefix) + "reductions", output_error(rows, format, metric::kReductions));
    facts.set(std::string(prefix) + "fp32", output_error(rows, format, metric::kFp32Statistics));
  }
}

void declare_errors(Facts& facts) {
  for (const char* name :
       {"width", "square_scale", "sum_scale", "vanish_scale", "fp16_rounded", "fp16_reductions",
        "fp16_fp32", "bf16_rounded", "bf16_reductions", "bf16_fp32"}) {
    facts.set(name, "");
  }
  for (const char* name : {"fp16_overflows", "fp16_vanishes", "bf16_overflows"}) {
    facts.flag(name, false);
  }
}

void set_traced(Facts& facts, const Launch* launch) {
  static const Launch nothing{};
  const Traced traced(launch == nullptr ? nothing : *launch);
  facts.flag("traced", launch != nullptr);
  facts.set("half", traced.dtype(kBf16, metric::kNorm, "input"));
  facts.set("layer_norm", traced.dtype(kBf16, metric::kNorm, "layer_norm"));
  facts.set("fp16_norm", traced.dtype(kFp16, metric::kNorm, "layer_norm"));
  facts.set("rms_norm", traced.dtype(kFp16, metric::kNorm, "rms_norm"));
  facts.set("residual", traced.dtype(kFp16, metric::kNetwork, "residual"));
  facts.set("ln1", traced.dtype(kFp16, metric::kNetwork, "ln1"));
  // Where LayerNorm comes back wider than it was given, autocast chose FP32 for it.
  const bool wider = traced.dtype(kBf16, metric::kNorm, "layer_norm") == "FP32";
  facts.flag("autocast_widens", launch != nullptr && wider);
  facts.flag("autocast_keeps", launch != nullptr && !wider);
}

TableView network_table(const Launch& launch) {
  TableView table{"norm-dtypes",
                  "Normalisations and one Transformer block under autocast",
                  {{"Output of", "", Align::kLeft},
                   {"FP16 autocast", "", Align::kLeft},
                   {"BF16 autocast", "", Align::kLeft}},
                  {}};
  const Traced traced(launch);
  const auto add = [&](const std::string& prefix, std::string_view group) {
    for (const TracedDtype& row : traced.group(kFp16, group)) {
      table.rows.push_back({{text_cell(prefix + row.name), text_cell(row.dtype),
                             text_cell(traced.dtype(kBf16, group, row.name))},
                            {},
                            ""});
    }
  };
  add("16-bit input: ", metric::kNorm);
  add("block: ", metric::kNetwork);
  return table;
}

Facts make_facts(const std::vector<NormRow>& rows, const std::string& reason,
                 const Launch* dtypes) {
  Facts facts;
  facts.flag("measured", !rows.empty());
  facts.flag("missing", rows.empty());
  facts.set("reason", reason.empty() ? "its result holds no rows" : reason);
  declare_errors(facts);
  if (!rows.empty()) set_errors(facts, rows);
  set_traced(facts, dtypes);
  return facts;
}

}  // namespace

std::optional<PartContent> present_layer_norm(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLayerNorm);
  if (cell == nullptr) return std::nullopt;
  const Cell* traced = view.cell(CellKind::kDtypes);
  const Launch* dtypes = traced == nullptr ? nullptr : ok_launch(*traced);
  const Launch* launch = ok_launch(*cell);
  const auto rows = launch == nullptr ? std::vector<NormRow>() : norm_rows(*launch);
  PartContent part;
  part.facts = make_facts(rows, reason_missing(*cell), dtypes);
  part.cells = {cell};
  if (!rows.empty()) {
    part.figures = {norm_figure(rows)};
    part.tables = {steps_table(rows), widths_table(rows), ranges_table(rows)};
  }
  if (dtypes != nullptr) part.drawer.tables = {network_table(*dtypes)};
  part.drawer.tables.push_back(
      commands_table(view.run(), kProblem + std::string(".b"), {{"layer normalisation", cell}}));
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
