#include "experiments/mixed_precision_accumulation/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "document/charts/curve_chart.h"
#include "experiments/common/table_cells.h"
#include "results/metric_names.h"

namespace labreport::mixed_precision_accumulation {
namespace {

constexpr double kSmall = 1e-4;  // Below it zeros would crowd out the digits.
constexpr int kSmallDigits = 3;
constexpr std::size_t kDrawnEvery = 10;
constexpr std::size_t kCheckpoints[]{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

CellView digits_cell(double value) { return number_cell(digits(value), value); }

/// As many digits as count, without the zeros behind them.
std::string with_minus(double value, int digits) {
  if (std::abs(value) < kSmall) return format_scientific(value, std::min(digits, kSmallDigits));
  return (value < 0 ? "−" : "") + fmt::format("{:.{}g}", std::abs(value), digits);
}

CellView error_cell(double error) { return number_cell(error_digits(error), error); }

/// Kept on one line: it names the row.
std::string label_of(const Loop& loop) {
  std::string label = std::string(loop.label) + (loop.ours ? " (ours)" : "");
  for (auto at = label.find(' '); at != std::string::npos; at = label.find(' ', at)) {
    label.replace(at, 1, "\u00a0");
  }
  return label;
}

Curve running_error(const Loop& loop) {
  Curve curve{std::string(loop.label), {}};
  for (std::size_t n = kDrawnEvery; n <= loop.sums.size(); n += kDrawnEvery) {
    curve.points.emplace_back(static_cast<double>(n), std::abs(loop.error_after(n)));
  }
  return curve;
}

/// The two loops that add FP16 to FP32 are one curve where they are the same numbers.
void add_curve(std::vector<Curve>& curves, const Loop& loop, const std::vector<Loop>& loops) {
  const Loop* mixed = find(loops, metric::kMixedLoop);
  const Loop* cast = find(loops, metric::kCastLoop);
  const bool same = mixed != nullptr && cast != nullptr && mixed->sums == cast->sums;
  if (same && loop.name == metric::kCastLoop) return;
  curves.push_back(running_error(loop));
  if (same && loop.name == metric::kMixedLoop) curves.back().label += " (both)";
}

TableView checkpoints_table(const std::vector<Loop>& loops) {
  TableView table{"running-errors",
                  "Sum minus additions times addend, on the way",
                  {{"Additions", "", Align::kRight}},
                  {}};
  for (const Loop& loop : loops) table.columns.push_back({label_of(loop), "", Align::kRight});
  for (const std::size_t n : kCheckpoints) {
    RowView row{{count_cell(static_cast<std::int64_t>(n))}, {}, ""};
    for (const Loop& loop : loops) {
      row.cells.push_back(n <= loop.sums.size() ? error_cell(loop.error_after(n)) : missing_cell());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string digits(double value) { return fmt::format("{:.10g}", value); }

std::string error_digits(double error) {
  // Sums of doubles carry their own rounding, far below any error that counts here.
  constexpr double kNothing = 1e-12;
  return std::abs(error) < kNothing ? "0" : with_minus(error, 5);
}

TableView sums_table(const std::vector<Loop>& loops) {
  TableView table{"sums",
                  "A thousand additions",
                  {{"Loop", "", Align::kLeft},
                   {"Final value", "", Align::kRight},
                   {"Error", "", Align::kRight},
                   {"Relative error", "%", Align::kRight},
                   {"The input's part", "", Align::kRight},
                   {"The sum's part", "", Align::kRight}},
                  {}};
  for (const Loop& loop : loops) {
    const double right = loop.value * static_cast<double>(loop.sums.size());
    const double share = loop.error() / right;
    table.rows.push_back({{text_cell(label_of(loop)), digits_cell(loop.last()),
                           error_cell(loop.error()), number_cell(with_minus(100 * share, 2), share),
                           error_cell(loop.input_error()), error_cell(loop.accumulator_error())},
                          {},
                          ""});
  }
  return table;
}

TableView stalls_table(const std::vector<Loop>& loops) {
  TableView table{"stalls",
                  "Sums that stop growing",
                  {{"Loop", "", Align::kLeft},
                   {"Stops at", "", Align::kRight},
                   {"After additions", "", Align::kRight},
                   {"Unit in the last place there", "", Align::kRight},
                   {"Half of it", "", Align::kRight},
                   {"Added each time", "", Align::kRight}},
                  {}};
  for (const Loop& loop : loops) {
    const std::size_t after = loop.stalled_after();
    if (after == 0) continue;
    const double unit = unit_in_last_place(loop.last(), loop.significand);
    const auto additions = static_cast<std::int64_t>(after);
    table.rows.push_back(
        {{text_cell(label_of(loop)), digits_cell(loop.last()), count_cell(additions),
          digits_cell(unit), digits_cell(unit / 2), digits_cell(loop.addend)},
         {},
         ""});
  }
  return table;
}

Figure errors_figure(const std::vector<Loop>& loops) {
  CurveChart chart;
  chart.x = {{"Additions", ""}, false, {}, {}, {}, "d"};
  chart.y = {{"Absolute error of the sum", ""}, true, {}, {}, {}, ""};
  tick_decades(chart.y, -8, 1);
  chart.label_room = 134;
  for (const Loop& loop : loops) {
    if (loop.error() != 0) add_curve(chart.curves, loop, loops);
  }
  return {.slug = "accumulation",
          .title = "Running error of the sum",
          .caption =
              "The distance of each sum from the number of additions times 0.01, every "
              "tenth addition; the axis is logarithmic, so a sum without error is not "
              "drawn, and a dip is where the error changes its sign.",
          .alt =
              "Curves of the absolute error against the number of additions, one for each "
              "loop. The table below holds values from them.",
          .spec = curve_chart(chart),
          .data = checkpoints_table(loops)};
}

}  // namespace labreport::mixed_precision_accumulation
