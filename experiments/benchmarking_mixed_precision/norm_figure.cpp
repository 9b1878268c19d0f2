// The layer-normalisation figure: one panel a format, one curve a method.
#include <array>
#include <cmath>

#include "base/format.h"
#include "document/charts/curve_chart.h"
#include "experiments/benchmarking_mixed_precision/norm_tables.h"
#include "experiments/common/table_cells.h"
#include "experiments/common/timing.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr int kPanelHeight = 150;
constexpr int kLeastDecade = -6;

std::string short_words(std::string_view method) {
  if (method == metric::kRounded) return "each addition";
  return method == metric::kReductions ? "reductions" : "FP32 statistics";
}

void add_band(std::vector<Band>& bands, const std::vector<NormRow>& rows, double NormRow::* count,
              const std::string& text) {
  const auto first = first_scale(rows, count);
  const auto last = last_scale(rows, count);
  if (!first || !last) return;
  const double from = static_cast<double>(*first) - 0.5;
  // Each takes over from the one before it: their ranges overlap by a vector or two.
  if (!bands.empty()) bands.back().to = std::min(bands.back().to, from);
  const double to = static_cast<double>(*last) + 0.5;
  bands.push_back({from, to, text});
}

std::vector<Band> bands_of(const std::vector<NormRow>& rows, std::string_view format,
                           std::int64_t width) {
  const auto rounded = curve(rows, format, metric::kRounded, width);
  std::vector<Band> bands;
  add_band(bands, rounded, &NormRow::underflow, "variance vanishes");
  add_band(bands, rounded, &NormRow::sum_overflow, "sum overflows");
  add_band(bands, rounded, &NormRow::square_overflow, "square overflows");
  add_band(bands, rounded, &NormRow::input_overflow, "input overflows");
  return bands;
}

CurveChart panel(const std::vector<NormRow>& rows, Precision format, std::int64_t width) {
  CurveChart chart;
  chart.title = describe(format);
  chart.height = kPanelHeight;
  chart.label_room = 104;
  chart.x = {{"Scale of the input, as a power of two", ""}, false, {}, {}, {}, "d"};
  chart.x.ticks = {-24, -20, -16, -12, -8, -4, 0, 4, 8, 12};
  chart.y = {{"Error of the output", "%"}, true, {}, {}, {}, ""};
  tick_decades(chart.y, kLeastDecade, 2);
  chart.y.domain = {{3 * std::pow(10.0, kLeastDecade), 100}};  // One scale for all formats.
  for (const std::string_view method : kMethods) {
    Curve drawn{short_words(method), {}};
    for (const NormRow& row : curve(rows, name(format), method, width)) {
      if (!row.output) continue;
      drawn.points.emplace_back(static_cast<double>(row.scale_log2), 100 * *row.output);
    }
    chart.curves.push_back(std::move(drawn));
  }
  chart.bands = bands_of(rows, name(format), width);
  return chart;
}

TableView data_table(const std::vector<NormRow>& rows, std::int64_t width) {
  TableView table{
      "norm-errors", "Error of the output by scale", {{"Scale", "", Align::kRight}}, {}};
  for (const Precision format : kFormats) {
    for (const std::string_view method : kMethods) {
      table.columns.push_back(
          {std::string(describe(format)) + ", " + short_words(method), "%", Align::kRight});
    }
  }
  for (const NormRow& base : curve(rows, name(kFormats[0]), kMethods[0], width)) {
    RowView row{
        {number_cell(power_of_two(base.scale_log2), static_cast<double>(base.scale_log2))}, {}, ""};
    for (const Precision format : kFormats) {
      for (const std::string_view method : kMethods) {
        const NormRow* found = find(rows, name(format), method, width, base.scale_log2);
        const bool there = found != nullptr && found->output;
        row.cells.push_back(there ? number_cell(error_percent(found->output), *found->output)
                                  : text_cell("overflow"));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Figure norm_figure(const std::vector<NormRow>& rows) {
  const std::int64_t width = widths(rows).back();
  std::vector<CurveChart> panels;
  for (const Precision format : kFormats) panels.push_back(panel(rows, format, width));
  return {.slug = "layer-norm",
          .title = "Error of layer normalisation at width " + format_count(width),
          .caption =
              "Median relative error against FP64 over 16 random vectors at each scale, for "
              "sums rounded after each addition, for PyTorch's own reductions and for FP32 "
              "statistics; one scale for all formats. Shaded is where the variance of some "
              "vector vanishes, so that eps sets the divisor, and where the sum of the squares, "
              "a square or the input itself overflows. A curve ends where the sum for the mean "
              "overflows too.",
          .alt =
              "Three panels of error curves over the scale of the input, for FP16, BF16 and "
              "FP32. The table below holds the same numbers.",
          .spec = curve_panels(panels),
          .data = data_table(rows, width)};
}

}  // namespace labreport::benchmarking_mixed_precision
