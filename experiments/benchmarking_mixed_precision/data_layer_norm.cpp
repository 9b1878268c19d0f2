// Part (b): which steps of layer normalization lose precision, and where a format's range ends.
#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kError{Notation::kRelativeError, 2};
constexpr Precision kFormats[]{Precision::kFp16, Precision::kBf16};
constexpr std::int64_t kLastBelowEps = -9;  // The largest scale whose variance is less than 10⁻⁵.
constexpr double kClearly = 1.5;            // One error over another, to call it larger.

using Error = std::optional<double>;

/// Errors are relative to FP64; missing where a step overflowed.
struct NormRow {
  Precision format = {};
  std::string method = {};  ///< "rounded": see metric_names.h
  std::int64_t width = 0;
  std::int64_t scale = 0;  ///< The input's, as a power of two.
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

/// Nothing where the row does not say of which vectors it is, or whether they overflow.
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

/// Of the widest vectors, by growing scale; formats in their order.
NormRows widest(const Launch* launch) {
  NormRows rows;
  if (launch == nullptr) return rows;
  for (const Precision format : kFormats) {
    for (const MeasuredRow& row : measured_rows(*launch, metric::kLayerNorm)) {
      const auto found = row.text("format") == name(format) ? read(row, format) : std::nullopt;
      if (found) rows.push_back(*found);
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

/// Without errors where it was not measured.
NormRow row_at(const NormRows& curve, std::int64_t scale) {
  const auto found = std::ranges::find(curve, scale, &NormRow::scale);
  return found == curve.end() ? NormRow() : *found;
}

std::string power_of_two(std::int64_t exponent) { return "2" + superscript(exponent); }

/// Curves that the figure shows: statistics in the format and in FP32.
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
      const auto found = scale.second.find(curve);
      const bool there = found != scale.second.end() && found->second;
      return there ? Value(*found->second) : Value::missing("overflow");
    };
    columns.push_back({slug(curve), curve, output, "%", kError});
  }
  return make_dataset("errors", columns, std::vector<Scale>(outputs.begin(), outputs.end()));
}

bool larger(const Error& error, const Error& other) {
  return error && other && *error > kClearly * *other;
}

/// The first scale at which something overflows.
void set_overflow(Facts& facts, const std::string& name, const NormRows& curve,
                  bool NormRow::* overflow) {
  const auto first = std::ranges::find(curve, true, overflow);
  const bool found = first != curve.end();
  facts.when(name, found, "scale", found ? power_of_two(first->scale) : "");
}

/// At the least scale, where eps is most of what is divided by.
void set_eps(Facts& facts, const NormRow& rounded, const NormRow& fp32) {
  facts.flag("eps_rules", rounded.scale <= kLastBelowEps && rounded.output && fp32.output &&
                              !larger(rounded.output, fp32.output));
  facts.set("below_eps", power_of_two(kLastBelowEps));
  facts.set("least", power_of_two(rounded.scale));
  facts.set("least_rounded", rounded.output, kError);
}

/// As x^(−1/2) does of a small relative error.
bool halves(const NormRow& row) {
  constexpr double kAbout = 0.1;
  return row.variance && row.rstd && *row.variance > 0 &&
         std::abs(*row.rstd / *row.variance - 0.5) <= kAbout;
}

Facts measured_facts(const NormRows& rows) {
  const NormRows rounded = curve(rows, Precision::kBf16, metric::kRounded);
  const NormRows fp32 = curve(rows, Precision::kBf16, metric::kFp32Statistics);
  const NormRow sums = row_at(rounded, 0);
  const bool sensitive = larger(sums.output, row_at(fp32, 0).output);
  const bool ends = std::ranges::any_of(rounded, &NormRow::overflows);
  Facts facts;
  facts.flag("precision_alone", sensitive && !ends);
  facts.flag("precision_and_range", sensitive && ends);
  facts.flag("insensitive", !sensitive);
  for (const Precision format : kFormats) {
    for (const auto method : {metric::kRounded, metric::kReductions, metric::kFp32Statistics}) {
      facts.set(std::string(name(format)) + "_" + std::string(method),
                row_at(curve(rows, format, method), 0).output, kError);
    }
  }
  facts.flag("sums_lose", larger(sums.variance, sums.squares));
  facts.set("variance", sums.variance, kError);
  facts.set("squares", sums.squares, kError);
  facts.set("mean", sums.mean, kError);
  set_eps(facts, row_at(rounded, rows.front().scale), row_at(fp32, rows.front().scale));
  const NormRows fp16 = curve(rows, Precision::kFp16, metric::kRounded);
  const NormRow fp16_sums = row_at(fp16, 0);
  facts.set("fp16_variance", fp16_sums.variance, kError);
  facts.when("root_halves", halves(fp16_sums),
             Facts().set("from", fp16_sums.variance, kError).set("to", fp16_sums.rstd, kError));
  set_overflow(facts, "fp16_sum", fp16, &NormRow::sum_overflow);
  set_overflow(facts, "fp16_square", fp16, &NormRow::square_overflow);
  return facts;
}

/// What autocast makes of a 16-bit input.
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
  part.facts.when("missing", rows.empty(), "reason",
                  reason.empty() ? "its result holds no rows" : reason);
  part.facts.set("width", rows.empty() ? "" : format_count(rows.front().width));
  part.facts.when("measured", rows.empty() ? std::nullopt : std::optional(measured_facts(rows)));
  if (!rows.empty()) {
    part.datasets = {make_dataset("layer-norm", kSteps, only(drawn(rows), visible)),
                     errors_by_scale(drawn(rows)),
                     make_dataset("steps", kSteps, only(rows, at_one))};
  }
  part.details.tables = {
      commands_table(view.run(), kProblem + std::string(".b"), {{"layer normalization", cell}})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
