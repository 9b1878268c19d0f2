// Defines what all charts share: theme, colors, shapes and widths. Specs are Vega-Lite in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// The width of a chart with its axes and labels: kWideChartPixels, or `usermeta.width` of the
/// spec, or kNarrowChartPixels on a phone.
enum class ChartWidth { kWide, kNarrow };

inline constexpr int kWideChartPixels = 720;
inline constexpr int kNarrowChartPixels = 350;

/// Returns charts/theme.json: Vega-Lite's `config` and `background`, the `colors` of series, for
/// which site/charts.css has dark ones, and the color and shape of each series that has a fixed
/// style.
const nlohmann::json& chart_theme();

/// A series' color, and its shape for readers who cannot tell colors apart.
struct SeriesStyle {
  std::string_view color;
  std::string_view shape;
};

/// Returns the style of a series. A phase, mode, precision, network size or well-known GPU has the
/// same style in every chart. Any other series gets a style by `index`, its place among the series
/// of the chart.
SeriesStyle series_style(std::string_view name, std::size_t index);

/// Returns the scale of a channel ("color", "stroke", "shape", "strokeDash") whose values are
/// `labels`.
nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels);

/// Returns the spec as it is drawn: with theme, background and total width. `height` in the spec is
/// the chart's total height for single and layered views, but an inner view's height in a vconcat.
nlohmann::json themed(nlohmann::json spec, ChartWidth width);

/// Returns the spec of an interactive chart that replaces `svg`, its own picture. The plot gets the
/// place and size that it has in the picture, although a browser's letters are wider than the chart
/// tool's. The spec is returned unchanged if `svg` does not tell place and size.
nlohmann::json with_plot_placed_as(nlohmann::json spec, std::string_view svg);

/// Renames an SVG's ids to "<prefix>-1", "<prefix>-2", …, so that they are unique in a page.
std::string with_unique_ids(std::string_view svg, std::string_view prefix);

}  // namespace labreport
