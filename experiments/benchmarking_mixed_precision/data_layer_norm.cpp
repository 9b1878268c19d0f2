// Part (b): the precision that layer normalization loses, and the scale at which formats overflow.
#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kError{Notation::kRelativeError, 2};
constexpr Precision kFormats[]{Precision::kFp16, Precision::kBf16};
constexpr double kClearly = 1.5;  // An error is called larger if it exceeds this multiple.

using Error = std::optional<double>;

/// Errors of each operation of layer normalization, relative to FP64; empty after an overflow.
struct NormRow {
  Precision format = {};
  std::string method = {};  ///< "rounded": see metric_names.h
  std::int64_t width = 0;
  std::int64_t scale = 0;  ///< The binary logarithm of the input's scale.
  Error mean = {}, squares = {}, variance = {}, rstd = {}, output = {};
  bool sum_overflow = false, square_overflow = false;

  bool overflows() const { return sum_overflow || square_overflow; }
  std::string method_words() const {
    if (method == metric::kRounded) return "sums rounded";
    return method == metric::kReductions ? "PyTorch's reductions" : "FP32 statistics";
  }
  std::string curve() const { return std::string(describe(format)) + ", " + method_words(); }
};
using NormRows = std::vector<NormRow>;

const std::vector<Column<NormRow>> kSteps{
    {"format", "Format", [](const NormRow& row) { return describe(row.format); }},
    {"method", "Method", &NormRow::method_words},
    {"curve", "Curve", &NormRow::curve},
    {"scale", "Scale", &NormRow::scale, "", {Notation::kCount}},
    {"mean", "Mean", &NormRow::mean, "% of σ", kError},
    {"squares", "Squares", &NormRow::squares, "%", kError},
    {"variance", "Variance", &NormRow::variance, "%", kError},
    {"rstd", "rsqrt(variance + eps)", &NormRow::rstd, "%", kError},
    {"output", "Output", &NormRow::output, "%", kError},
    {"overflows", "Overflows", &NormRow::overflows}};

/// Returns nothing if the row lacks its vectors' width, their scale or whether they overflow.
std::optional<NormRow> read(const MeasuredRow& row, Precision format) {
  const auto width = row.number("width"), scale = row.number("scale_log2");
  const auto sums = row.number("sum_overflow"), squares = row.number("square_overflow");
  if (!width || !scale || !sums || !squares) return std::nullopt;
  return NormRow{.format = format,
                 .method = row.text("method"),
                 .width = static_cast<std::int64_t>(*width),
                 .scale = static_cast<std::int64_t>(*scale),
                 .mean = row.number("mean_error"),
                 .squares = row.number("square_error"),
                 .variance = row.number("variance_error"),
                 .rstd = row.number("rstd_error"),
                 .output = row.number("output_error"),
                 .sum_overflow = *sums > 0,
                 .square_overflow = *squares > 0};
}

/// Keeps only the rows of the widest vectors, sorted by ascending scale.
NormRows widest(const Launch* launch) {
  NormRows rows;
  if (launch == nullptr) return rows;
  for (const Precision format : kFormats) {
    for (const MeasuredRow& row : measured_rows(*launch, metric::kLayerNorm)) {
      const auto errors = row.text("format") == name(format) ? read(row, format) : std::nullopt;
      if (errors) rows.push_back(*errors);
    }
  }
  std::int64_t width = 0;
  for (const NormRow& row : rows) width = std::max(width, row.width);
  std::ranges::stable_sort(rows, {}, &NormRow::scale);
  return only(rows, [width](const NormRow& row) { return row.width == width; });
}

NormRows curve(const NormRows& rows, Precision format, std::string_view method) {
  return only(rows,
              [=](const NormRow& row) { return row.format == format && row.method == method; });
}

std::string power_of_two(std::int64_t exponent) { return "2" + superscript(exponent); }

/// The figure shows statistics in the format and in FP32.
NormRows drawn(const NormRows& rows) {
  return only(rows, [](const NormRow& row) { return row.method != metric::kReductions; });
}

/// A row for each scale, a column for each curve.
Dataset errors_by_scale(const NormRows& rows) {
  using Scale = std::pair<std::int64_t, std::map<std::string, Error>>;
  std::map<std::int64_t, std::map<std::string, Error>> outputs;
  std::set<std::string> curves;
  for (const NormRow& row : rows) {
    outputs[row.scale][row.curve()] = row.output;
    curves.insert(row.curve());
  }
  std::vector<Column<Scale>> columns{
      {"scale", "Scale", [](const Scale& scale) { return power_of_two(scale.first); }}};
  for (const std::string& curve : curves) {
    const auto output = [curve](const Scale& scale) {
      const auto error = scale.second.find(curve);
      const bool finite = error != scale.second.end() && error->second;
      return finite ? Value(*error->second) : Value::missing("overflow");
    };
    columns.push_back({slug(curve), curve, output, "%", kError});
  }
  return make_dataset("errors", columns, std::vector<Scale>(outputs.begin(), outputs.end()));
}

/// Compares errors at scale 1; nothing unless BF16 has an error by both methods compared.
std::optional<Facts> measured_facts(const NormRows& rows) {
  const auto output = [&](std::string_view method) {
    const NormRows bf16 = curve(rows, Precision::kBf16, method);
    const auto at_one = std::ranges::find(bf16, 0, &NormRow::scale);
    return at_one == bf16.end() ? std::nullopt : at_one->output;
  };
  const Error reductions = output(metric::kReductions), fp32 = output(metric::kFp32Statistics);
  if (!reductions || !fp32) return std::nullopt;
  const bool sensitive = *reductions > kClearly * *fp32;
  const NormRows fp16 = curve(rows, Precision::kFp16, metric::kRounded);
  const auto first = std::ranges::find(fp16, true, &NormRow::sum_overflow);
  const bool range = std::ranges::none_of(
      rows, [](const NormRow& row) { return row.format == Precision::kBf16 && row.overflows(); });
  return Facts()
      .set("reductions", *reductions, kError)
      .set("fp32", *fp32, kError)
      .flag("sensitive", sensitive)
      .flag("insensitive", !sensitive)
      .flag("range", range)
      .when("overflow", first != fp16.end(), "scale",
            first != fp16.end() ? power_of_two(first->scale) : "");
}

/// The dtypes of layer normalization under BF16 autocast.
std::optional<Facts> autocast_facts(const Cell* dtypes) {
  const Trace trace = trace_of(dtypes == nullptr ? nullptr : ok_launch(*dtypes));
  if (trace.tensors.empty()) return std::nullopt;
  Facts facts;
  facts.set("input", trace.dtype(kBf16, metric::kNorm, "input"));
  facts.set("layer_norm", trace.dtype(kBf16, metric::kNorm, "layer_norm"));
  facts.set("rms_norm", trace.dtype(kBf16, metric::kNorm, "rms_norm"));
  facts.set("residual", trace.dtype(kBf16, metric::kNetwork, "residual"));
  return facts;
}

}  // namespace

std::optional<PartContent> present_layer_norm(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLayerNorm);
  if (cell == nullptr) return std::nullopt;
  const NormRows rows = widest(ok_launch(*cell));
  const std::string reason = reason_missing(*cell);
  const auto at_one = [](const NormRow& row) { return row.scale == 0; };
  const auto visible = [](const NormRow& row) { return row.output.value_or(0) > 0; };  // log axis
  PartContent part;
  part.cells = {cell};
  part.facts.when("autocast", autocast_facts(toy_model_cell(view)));
  const auto measured = measured_facts(rows);
  part.facts.when("missing", !measured, "reason",
                  reason.empty() ? "it lacks rows of BF16 at scale 1" : reason);
  part.facts.set("width", rows.empty() ? "" : format_count(rows.front().width));
  part.facts.when("measured", measured);
  if (!rows.empty()) {
    part.datasets = {make_dataset("layer-norm", kSteps, only(drawn(rows), visible)),
                     errors_by_scale(drawn(rows)),
                     make_dataset("steps", kSteps, only(rows, at_one))};
  }
  part.details.tables = {command_table(view.run(), kProblem + std::string(".b"), {cell})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
