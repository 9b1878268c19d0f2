#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "document/charts/curve_chart.h"
#include "document/charts/pair_chart.h"
#include "experiments/benchmarking_mixed_precision/speedup_tables.h"
#include "experiments/common/legend.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr const char* kShade =
    " Shaded where the host's launches set the pace of the whole step, or of some of its phases "
    "(mixed).";
constexpr double kMargin = 1.2;           // Of the axis, beyond its first and last network.
constexpr std::size_t kBoundColumns = 2;  // The last ones of the speedups' table.

/// Adds one precision's mean to the lane of its network; the first one's speedup stands beside it.
void add_value(std::vector<Joined>& joined, const Speedup& row, const std::string& lane,
               const std::vector<double>& base, const std::vector<double>& reduced,
               const std::optional<Ratio>& ratio) {
  auto found = std::ranges::find_if(
      joined, [&](const Joined& known) { return known.group == row.size && known.lane == lane; });
  if (found == joined.end()) {
    found = joined.insert(joined.end(), Joined{row.size, lane, {}, ""});
    if (!base.empty()) found->values.emplace_back("FP32", mean(base));
    if (ratio) found->text = format_ratio(ratio->value) + " ×";
  }
  if (!reduced.empty()) found->values.emplace_back(row.precision, mean(reduced));
}

void add_gap(std::vector<Gap>& gaps, const Speedup& row) {
  if (row.base.forward.empty() && row.reduced.forward.empty()) {
    gaps.push_back({row.size, row.base_missing});
  }
}

/// Half-way to a neighbour on the logarithmic axis.
double between(const std::vector<Speedup>& rows, std::size_t left) {
  if (left + 1 >= rows.size()) return rows.back().parameters * kMargin;
  return std::sqrt(rows[left].parameters * rows[left + 1].parameters);
}

/// Sizes, smallest first, whose launches set the pace of all phases or of some.
std::vector<Band> bound_bands(const std::vector<Speedup>& rows) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].reduced_bound || rows[i].reduced_bound == Bound::kDevice) continue;
    const double from = i == 0 ? rows[0].parameters / kMargin : between(rows, i - 1);
    const std::string words(describe(*rows[i].reduced_bound));
    if (!bands.empty() && bands.back().text == words && bands.back().to == from) {
      bands.back().to = between(rows, i);
    } else {
      bands.push_back({from, between(rows, i), words});
    }
  }
  return bands;
}

std::vector<Speedup> of_first_precision(const std::vector<Speedup>& rows) {
  std::vector<Speedup> first;
  for (const Speedup& row : rows) {
    if (row.precision == rows.front().precision && row.forward) first.push_back(row);
  }
  std::ranges::sort(first, {}, &Speedup::parameters);
  return first;
}

TableView figure_data(const std::vector<Speedup>& rows) {
  TableView data = speedups_table(rows);
  data.slug = "speedup-data";
  data.title = "Speedup by size";
  data.columns.insert(data.columns.begin() + 1, {"Parameters", "", Align::kRight});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& cells = data.rows[i].cells;
    cells.insert(cells.begin() + 1, count_cell(rows[i].parameters));
    cells.resize(cells.size() - kBoundColumns);
  }
  data.columns.resize(data.columns.size() - kBoundColumns);
  return data;
}

TableView joined_data(const std::vector<Joined>& joined,
                      const std::vector<std::string>& precisions) {
  TableView table{"joined-times",
                  "Means of the figure",
                  {{"Size", "", Align::kLeft}, {"Phase", "", Align::kLeft}},
                  {}};
  for (const std::string& precision : precisions) {
    table.columns.push_back({precision, "ms", Align::kRight});
  }
  for (const Joined& row : joined) {
    RowView cells{{text_cell(row.group), text_cell(row.lane)}, {}, ""};
    for (const std::string& precision : precisions) {
      const auto value =
          std::ranges::find(row.values, precision, &std::pair<std::string, double>::first);
      cells.cells.push_back(value == row.values.end() ? missing_cell() : ms_cell(value->second));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Figure times_figure(const std::vector<Speedup>& rows) {
  std::vector<std::string> sizes;
  std::vector<std::string> precisions{"FP32"};
  std::vector<Joined> joined;
  std::vector<Gap> gaps;
  for (const Speedup& row : rows) {
    add_once(sizes, row.size);
    add_once(precisions, row.precision);
    add_value(joined, row, "forward", row.base.forward, row.reduced.forward, row.forward);
    add_value(joined, row, "backward", row.base.backward, row.reduced.backward, row.backward);
    add_gap(gaps, row);
  }
  return {.slug = "precision-times",
          .title = "Forward and backward in FP32 and in reduced precision",
          .caption =
              "Means, joined for each pass; the upper line of a size is the forward pass, the "
              "lower the "
              "backward pass; beside them, FP32's time over that of " +
              rows.front().precision + ". The axis is logarithmic.",
          .alt =
              "Pairs of dots on a logarithmic time axis, FP32 and reduced precision joined, for "
              "the forward and the backward pass of each size. The table below holds the same "
              "numbers.",
          .spec = joined_chart({"Time", "ms"}, sizes, {"forward", "backward"}, precisions, joined,
                               gaps),
          .data = joined_data(joined, precisions)};
}

Figure speedup_figure(const std::vector<Speedup>& rows) {
  const std::vector<Speedup> shown = of_first_precision(rows);
  CurveChart chart;
  chart.x = {{"Parameters (logarithmic), by size", ""}, true, {}, {}, {}, ""};
  chart.y = {{"Speedup over FP32", "×"}, false, {}, {}, {}, ".1f"};
  chart.curves = {{"forward", {}}, {"backward", {}}, {"train step", {}}};
  chart.dots = true;
  chart.label_room = 76;
  chart.height = 280;
  for (const Speedup& row : shown) {
    chart.x.ticks.push_back(row.parameters);
    chart.x.tick_labels.push_back(row.size);
    if (row.forward) chart.curves[0].points.emplace_back(row.parameters, row.forward->value);
    if (row.backward) chart.curves[1].points.emplace_back(row.parameters, row.backward->value);
    if (row.step) chart.curves[2].points.emplace_back(row.parameters, row.step->value);
  }
  std::erase_if(chart.curves, [](const Curve& curve) { return curve.points.empty(); });
  chart.bands = bound_bands(shown);
  const bool shaded = !chart.bands.empty();
  return {.slug = "precision-speedup",
          .title = rows.front().precision + " speedup by size of the network",
          .caption =
              "How many times as fast as FP32, by means; the table below holds their deviations." +
              std::string(shaded ? kShade : ""),
          .alt =
              "Speedup against the number of parameters, for forward, backward and the train "
              "step. The table below holds the same numbers.",
          .spec = curve_chart(chart),
          .data = figure_data(shown)};
}

}  // namespace labreport::benchmarking_mixed_precision
