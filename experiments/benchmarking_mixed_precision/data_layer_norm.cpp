// Part (b): which steps of layer normalisation lose precision, and where a format's range ends.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/traced.h"
#include "experiments/common/command.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kError{Notation::kRelativeError, 2};
constexpr Precision kFormats[]{Precision::kFp16, Precision::kBf16, Precision::kFp32};
constexpr std::int64_t kLastBelowEps = -9;  // The largest scale whose variance is less than 10⁻⁵.
constexpr double kClearly = 1.5;            // One error over another, to call it larger.

/// Errors are relative to FP64; missing where a step overflowed.
struct NormRow {
  Precision format = {};
  std::string method = {};            ///< "rounded": see metric_names.h
  std::int64_t width = 0, scale = 0;  ///< The input's scale as a power of two.
  std::optional<double> mean = {}, squares = {}, variance = {}, rstd = {}, output = {};
  bool underflow = false;  ///< Of any vector's variance.
  bool sum_overflow = false, square_overflow = false, input_overflow = false;

  bool overflows() const { return sum_overflow || square_overflow; }
};
using NormRows = std::vector<NormRow>;

std::string method_words(const NormRow& row) {
  if (row.method == metric::kRounded) return "sums rounded";
  return row.method == metric::kReductions ? "PyTorch's reductions" : "FP32 statistics";
}

std::string curve_words(const NormRow& row) {
  return std::string(describe(row.format)) + ", " + method_words(row);
}

const std::vector<Column<NormRow>> kSteps{
    {"format", "Format", [](const NormRow& row) { return describe(row.format); }},
    {"method", "Method", method_words},
    {"curve", "Curve", curve_words},
    {"width", "Width", &NormRow::width, "", {Notation::kCount}},
    {"scale", "Scale", &NormRow::scale, "", {Notation::kCount}},
    {"mean", "Mean", &NormRow::mean, "% of σ", kError},
    {"squares", "Squares", &NormRow::squares, "%", kError},
    {"variance", "Variance", &NormRow::variance, "%", kError},
    {"rstd", "rsqrt(variance + eps)", &NormRow::rstd, "%", kError},
    {"output", "Output", &NormRow::output, "%", kError},
    {"overflows", "Overflows", &NormRow::overflows}};

NormRow read(const MeasuredRow& row, Precision format) {
  const auto number = [&](const char* column) { return row.number(column).value_or(0); };
  NormRow read{.format = format, .method = row.text("method")};
  read.width = static_cast<std::int64_t>(number("width"));
  read.scale = static_cast<std::int64_t>(number("scale_log2"));
  read.mean = row.number("mean_error");
  read.squares = row.number("square_error");
  read.variance = row.number("variance_error");
  read.rstd = row.number("rstd_error");
  read.output = row.number("output_error");
  read.underflow = number("underflow") > 0;
  read.sum_overflow = number("sum_overflow") > 0;
  read.square_overflow = number("square_overflow") > 0;
  read.input_overflow = number("input_overflow") > 0;
  return read;
}

/// By growing scale; formats in their order.
NormRows norm_rows(const Launch* launch) {
  NormRows rows;
  if (launch == nullptr) return rows;
  const auto measured = measured_rows(*launch, metric::kLayerNorm);
  for (const Precision format : kFormats) {
    for (const MeasuredRow& row : measured) {
      if (row.text("format") == name(format)) rows.push_back(read(row, format));
    }
  }
  std::ranges::stable_sort(rows, {}, &NormRow::scale);
  return rows;
}

template <typename Member, typename Wanted>
NormRows with(const NormRows& rows, Member NormRow::* member, const Wanted& wanted) {
  NormRows found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](const NormRow& row) { return row.*member == wanted; });
  return found;
}

NormRows curve(const NormRows& rows, Precision format, std::string_view method) {
  return with(with(rows, &NormRow::format, format), &NormRow::method, method);
}

/// Without errors where it was not measured.
NormRow row_at(const NormRows& curve, std::int64_t scale) {
  const NormRows found = with(curve, &NormRow::scale, scale);
  return found.empty() ? NormRow() : found.front();
}

std::string power_of_two(std::int64_t exponent) { return "2" + superscript(exponent); }

/// A row for each scale, a column for each curve.
Dataset errors_by_scale(const NormRows& rows) {
  using Outputs = std::map<std::string, std::optional<double>>;
  std::map<std::int64_t, Outputs> outputs;
  for (const NormRow& row : rows) outputs[row.scale][curve_words(row)] = row.output;
  using Scale = std::pair<std::int64_t, Outputs>;
  std::vector<Column<Scale>> columns{
      {"scale", "Scale", [](const Scale& scale) { return power_of_two(scale.first); }}};
  for (const NormRow& row : with(rows, &NormRow::scale, rows.front().scale)) {
    const auto output = [curve = curve_words(row)](const Scale& scale) {
      const auto found = scale.second.find(curve);
      const bool there = found != scale.second.end() && found->second;
      return there ? Value(*found->second) : Value::missing("overflow");
    };
    columns.push_back({slug(curve_words(row)), curve_words(row), output, "%", kError});
  }
  return make_dataset("errors", columns, std::vector<Scale>(outputs.begin(), outputs.end()));
}

/// The last scale at which a variance underflows, the first of each overflow, with rounded sums.
struct Range {
  Precision format = {};
  std::int64_t width = 0;
  std::optional<std::string> underflow = {}, sum = {}, square = {}, input = {};
};

const std::vector<Column<Range>> kRanges{
    {"format", "Format", [](const Range& range) { return describe(range.format); }},
    {"width", "Width", [](const Range& range) { return format_count(range.width); }},
    {"underflow", "Variance underflows up to", &Range::underflow},
    {"sum", "Sum of squares overflows from", &Range::sum},
    {"square", "A square overflows from", &Range::square},
    {"input", "The input overflows from", &Range::input}};

Range range_of(const NormRows& curve) {
  Range range;
  for (const NormRow& row : curve) {
    range.format = row.format;
    range.width = row.width;
    const std::string scale = power_of_two(row.scale);
    if (row.underflow) range.underflow = scale;
    if (row.sum_overflow && !range.sum) range.sum = scale;
    if (row.square_overflow && !range.square) range.square = scale;
    if (row.input_overflow && !range.input) range.input = scale;
  }
  return range;
}

/// Those that end at some scale.
std::vector<Range> ranges(const NormRows& rows) {
  std::map<std::pair<Precision, std::int64_t>, NormRows> curves;
  for (const NormRow& row : with(rows, &NormRow::method, metric::kRounded)) {
    curves[{row.format, row.width}].push_back(row);
  }
  std::vector<Range> found;
  for (const auto& [key, curve] : curves) {
    const Range range = range_of(curve);
    if (range.underflow || range.sum || range.square || range.input) found.push_back(range);
  }
  return found;
}

bool larger(const std::optional<double>& error, const std::optional<double>& other) {
  return error && other && *error > kClearly * *other;
}

/// Rounded sums lose more than the squares that they add, and the more the longer they are.
void set_sums(Facts& facts, const NormRow& wide, const NormRow& narrow) {
  facts.flag("sums_lose",
             larger(wide.variance, wide.squares) && larger(wide.output, narrow.output));
  facts.set("variance", wide.variance, kError);
  facts.set("squares", wide.squares, kError);
  facts.set("narrow", format_count(narrow.width));
  facts.set("narrow_output", narrow.output, kError);
}

/// At the least scale, where eps is most of what is divided by.
void set_eps(Facts& facts, const NormRow& rounded, const NormRow& fp32) {
  facts.flag("eps_rules", rounded.scale <= kLastBelowEps && rounded.output && fp32.output &&
                              !larger(rounded.output, fp32.output));
  facts.set("below_eps", power_of_two(kLastBelowEps));
  facts.set("least", power_of_two(rounded.scale));
  facts.set("least_rounded", rounded.output, kError);
  facts.set("least_fp32", fp32.output, kError);
}

Facts measured_facts(const NormRows& wide, const NormRows& narrow) {
  const NormRows rounded = curve(wide, Precision::kBf16, metric::kRounded);
  const NormRows fp32 = curve(wide, Precision::kBf16, metric::kFp32Statistics);
  const bool sensitive = larger(row_at(rounded, 0).output, row_at(fp32, 0).output);
  const bool ends = std::ranges::any_of(rounded, &NormRow::overflows);
  Facts facts;
  facts.flag("precision_alone", sensitive && !ends);
  facts.flag("precision_and_range", sensitive && ends);
  facts.flag("insensitive", !sensitive);
  for (const Precision format : kFormats) {
    for (const auto method : {metric::kRounded, metric::kReductions, metric::kFp32Statistics}) {
      facts.set(std::string(name(format)) + "_" + std::string(method),
                row_at(curve(wide, format, method), 0).output, kError);
    }
  }
  const std::int64_t least = wide.front().scale;
  set_sums(facts, row_at(rounded, 0), row_at(curve(narrow, Precision::kBf16, metric::kRounded), 0));
  set_eps(facts, row_at(rounded, least), row_at(fp32, least));
  const Range fp16 = range_of(curve(wide, Precision::kFp16, metric::kRounded));
  facts.when("fp16_sum", fp16.sum.has_value(), "scale", fp16.sum.value_or(""));
  facts.when("fp16_square", fp16.square.has_value(), "scale", fp16.square.value_or(""));
  return facts;
}

/// What autocast makes of normalisations.
Facts autocast_facts(const Trace& trace) {
  const std::string norm = trace.dtype(kBf16, metric::kNorm, "layer_norm");
  Facts facts;
  facts.flag("widens", norm == "FP32");
  facts.flag("keeps", norm != "FP32");
  facts.set("half", trace.dtype(kBf16, metric::kNorm, "input"));
  facts.set("fp16_norm", trace.dtype(kFp16, metric::kNorm, "layer_norm"));
  facts.set("rms_norm", trace.dtype(kFp16, metric::kNorm, "rms_norm"));
  facts.set("residual", trace.dtype(kFp16, metric::kNetwork, "residual"));
  facts.set("ln1", trace.dtype(kFp16, metric::kNetwork, "ln1"));
  return facts;
}

/// Curves that the figure shows: FP16 and BF16, with statistics of their own and in FP32.
NormRows drawn(NormRows rows) {
  std::erase_if(rows, [](const NormRow& row) {
    const bool shown = row.format != Precision::kFp32 && row.method != metric::kReductions;
    return !shown || row.output.value_or(0) <= 0;  // a log axis has no zero
  });
  return rows;
}

void add_measured(PartContent& part, const NormRows& rows) {
  const auto [least, most] = std::ranges::minmax(rows, {}, &NormRow::width);
  const NormRows wide = with(rows, &NormRow::width, most.width);
  part.facts.set("width", format_count(most.width));
  part.facts.when("measured", measured_facts(wide, with(rows, &NormRow::width, least.width)));
  part.datasets = {make_dataset("layer-norm", kSteps, drawn(wide)), errors_by_scale(wide),
                   make_dataset("steps", kSteps, with(wide, &NormRow::scale, 0)),
                   make_dataset("widths", kSteps, with(rows, &NormRow::scale, 0)),
                   make_dataset("ranges", kRanges, ranges(rows))};
}

}  // namespace

std::optional<PartContent> present_layer_norm(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLayerNorm);
  if (cell == nullptr) return std::nullopt;
  const Cell* dtypes = view.cell(CellKind::kDtypes);
  const Trace trace = trace_of(dtypes == nullptr ? nullptr : ok_launch(*dtypes));
  const NormRows rows = norm_rows(ok_launch(*cell));
  const std::string reason = reason_missing(*cell);
  PartContent part;
  part.cells = {cell};
  part.facts.when("autocast",
                  trace.tensors.empty() ? std::nullopt : std::optional(autocast_facts(trace)));
  part.facts.when("missing", rows.empty(), "reason",
                  reason.empty() ? "its result holds no rows" : reason);
  part.facts.set("width", "");
  part.facts.when("measured", std::nullopt);
  if (!rows.empty()) add_measured(part, rows);
  part.datasets.push_back(
      make_dataset("norm-dtypes", kTensors,
                   trace.rows({{"16-bit input: ", metric::kNorm}, {"block: ", metric::kNetwork}})));
  part.details.tables = {
      commands_table(view.run(), kProblem + std::string(".b"), {{"layer normalisation", cell}})};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
