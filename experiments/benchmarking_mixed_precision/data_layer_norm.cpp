// Part (b): the precision that layer normalization loses, and the scale at which formats overflow.
#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/dtype_trace.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/common/command.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kError{Notation::kRelativeError, 2};
constexpr Precision kFormats[]{Precision::kFp16, Precision::kBf16};
constexpr double kMinLargerRatio = 1.5;  // An error above this multiple counts as larger.

using Error = std::optional<double>;

/// One format, method, width and scale of layer normalization. The errors of its operations are
/// relative to FP64, and empty after an overflow.
struct NormRow {
  Precision format = {};
  std::string method = {};  ///< "rounded": see metric_names.h
  std::int64_t width = 0;
  std::int64_t scale_log2 = 0;
  Error mean_error = {}, squares_error = {}, variance_error = {}, rstd_error = {};
  Error output_error = {};
  bool sum_overflow = false, square_overflow = false;

  bool overflows() const { return sum_overflow || square_overflow; }
  std::string method_words() const {
    if (method == metric::kRounded) return "sums rounded";
    return method == metric::kReductions ? "steps rounded" : "output rounded";
  }
  std::string curve() const { return std::string(describe(format)) + ", " + method_words(); }
};
using NormRows = std::vector<NormRow>;

const std::vector<Column<NormRow>> kNormColumns{
    {"format", "Format", [](const NormRow& row) { return describe(row.format); }},
    {"method", "Method", &NormRow::method_words},
    {"curve", "Curve", &NormRow::curve},
    {"scale", "Scale", &NormRow::scale_log2, "", kAsCount},
    {"mean", "Mean", &NormRow::mean_error, "% of σ", kError},
    {"squares", "Squares", &NormRow::squares_error, "%", kError},
    {"variance", "Variance", &NormRow::variance_error, "%", kError},
    {"rstd", "rsqrt(variance + eps)", &NormRow::rstd_error, "%", kError},
    {"output", "Output", &NormRow::output_error, "%", kError},
    {"overflows", "Overflows", &NormRow::overflows}};

/// Returns nothing if the row lacks its vectors' width, their scale or their counts of overflows.
std::optional<NormRow> norm_row(const MeasuredRow& row, Precision format) {
  const auto width = row.number("width"), scale = row.number("scale_log2");
  const auto sums = row.number("sum_overflow"), squares = row.number("square_overflow");
  if (!width || !scale || !sums || !squares) return std::nullopt;
  return NormRow{.format = format,
                 .method = row.text("method"),
                 .width = static_cast<std::int64_t>(*width),
                 .scale_log2 = static_cast<std::int64_t>(*scale),
                 .mean_error = row.number("mean_error"),
                 .squares_error = row.number("square_error"),
                 .variance_error = row.number("variance_error"),
                 .rstd_error = row.number("rstd_error"),
                 .output_error = row.number("output_error"),
                 .sum_overflow = *sums > 0,
                 .square_overflow = *squares > 0};
}

/// Returns the rows of the widest vectors, sorted by ascending scale.
NormRows widest_rows(const Launch* launch) {
  NormRows rows;
  if (launch == nullptr) return rows;
  for (const Precision format : kFormats) {
    for (const MeasuredRow& row : measured_rows(*launch, metric::kLayerNorm)) {
      if (row.text("format") != name(format)) continue;
      if (const auto read = norm_row(row, format)) rows.push_back(*read);
    }
  }
  std::int64_t width = 0;
  for (const NormRow& row : rows) width = std::max(width, row.width);
  std::ranges::stable_sort(rows, {}, &NormRow::scale_log2);
  return only(rows, [width](const NormRow& row) { return row.width == width; });
}

NormRows rows_of_curve(const NormRows& rows, Precision format, std::string_view method) {
  return only(rows,
              [=](const NormRow& row) { return row.format == format && row.method == method; });
}

std::string power_of_two(std::int64_t exponent) { return "2" + superscript(exponent); }

/// Leaves out the method that rounds each step once, which the figure does not show.
NormRows drawn_rows(const NormRows& rows) {
  return only(rows, [](const NormRow& row) { return row.method != metric::kReductions; });
}

/// Makes a row for each scale and a column for each curve.
Dataset errors_dataset(const NormRows& rows) {
  using ErrorsByCurve = std::map<std::string, Error>;
  using ScaleRow = std::pair<std::int64_t, ErrorsByCurve>;
  std::map<std::int64_t, ErrorsByCurve> errors_by_scale;
  std::set<std::string> curves;
  for (const NormRow& row : rows) {
    errors_by_scale[row.scale_log2][row.curve()] = row.output_error;
    curves.insert(row.curve());
  }
  std::vector<Column<ScaleRow>> columns{
      {"scale", "Scale", [](const ScaleRow& row) { return power_of_two(row.first); }}};
  for (const std::string& curve : curves) {
    const auto error_of_curve = [curve](const ScaleRow& row) {
      const auto error = row.second.find(curve);
      const bool finite = error != row.second.end() && error->second;
      return finite ? Value(*error->second) : Value::missing("overflow");
    };
    columns.push_back({slug(curve), curve, error_of_curve, "%", kError});
  }
  return make_dataset("errors", columns,
                      std::vector<ScaleRow>(errors_by_scale.begin(), errors_by_scale.end()));
}

/// Compares BF16's errors by all methods at scale 1. Returns nothing unless rounding each step
/// errs clearly more than rounding the output alone, FP16 overflows and BF16 never does.
std::optional<Facts> sensitive_facts(const NormRows& rows) {
  const auto bf16_error = [&](std::string_view method) {
    const NormRows bf16 = rows_of_curve(rows, Precision::kBf16, method);
    const auto at_one = std::ranges::find(bf16, 0, &NormRow::scale_log2);
    return at_one == bf16.end() ? std::nullopt : at_one->output_error;
  };
  const Error rounded = bf16_error(metric::kRounded);
  const Error reductions = bf16_error(metric::kReductions);
  const Error fp32 = bf16_error(metric::kFp32Statistics);
  const NormRows fp16 = rows_of_curve(rows, Precision::kFp16, metric::kRounded);
  const auto first_overflow = std::ranges::find(fp16, true, &NormRow::sum_overflow);
  const bool bf16_fits = std::ranges::none_of(
      rows, [](const NormRow& row) { return row.format == Precision::kBf16 && row.overflows(); });
  if (!rounded || !reductions || !fp32 || *reductions <= kMinLargerRatio * *fp32 || !bf16_fits ||
      first_overflow == fp16.end())
    return std::nullopt;
  return Facts()
      .set("steps", *reductions, kError)
      .set("additions", *rounded, kError)
      .set("output", *fp32, kError)
      .set("scale", power_of_two(first_overflow->scale_log2));
}

/// Tells the dtypes of layer normalization under BF16 autocast; nothing if they were not traced.
std::optional<Facts> autocast_facts(const Cell* toy_model) {
  const DtypeTrace trace = dtype_trace(toy_model == nullptr ? nullptr : ok_launch(*toy_model));
  if (trace.tensors.empty()) return std::nullopt;
  Facts facts;
  facts.set("input", trace.dtypes_of(kBf16, metric::kNorm, "input"));
  facts.set("layer_norm", trace.dtypes_of(kBf16, metric::kNorm, "layer_norm"));
  facts.set("rms_norm", trace.dtypes_of(kBf16, metric::kNorm, "rms_norm"));
  facts.set("residual", trace.dtypes_of(kBf16, metric::kNetwork, "residual"));
  return facts;
}

}  // namespace

std::optional<PartContent> present_layer_norm(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLayerNorm);
  if (cell == nullptr) return std::nullopt;
  const NormRows rows = widest_rows(ok_launch(*cell));
  const auto at_one = [](const NormRow& row) { return row.scale_log2 == 0; };
  // The figure's logarithmic axis cannot show an error of 0.
  const auto drawable = [](const NormRow& row) { return row.output_error.value_or(0) > 0; };
  PartContent part;
  part.cells = {cell};
  part.facts.when("autocast", autocast_facts(toy_model_cell(view)));
  part.set_answer(sensitive_facts(rows));
  part.facts.set("width", rows.empty() ? "" : format_count(rows.front().width));
  if (!rows.empty()) {
    part.datasets = {make_dataset("layer-norm", kNormColumns, only(drawn_rows(rows), drawable)),
                     errors_dataset(drawn_rows(rows)),
                     make_dataset("steps", kNormColumns, only(rows, at_one))};
  }
  part.details.tables = {command_table(view.run(), kProblem + std::string(".b"), {cell})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
