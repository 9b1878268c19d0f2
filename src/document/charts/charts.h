// Defines what all charts share: theme, colors and shapes, both widths. Specs are Vega-Lite.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// The width of a figure, axes and labels included: kWideChart or, on a phone, kNarrowChart pixels.
enum class ChartWidth { kWide, kNarrow };

inline constexpr int kWideChart = 720;
inline constexpr int kNarrowChart = 350;

/// charts/theme.json: Vega-Lite's `config` and `background`; the `colors` of series, which site/
/// charts.css turns dark when asked, and the color and shape of each series that is known by name.
const nlohmann::json& chart_theme();

/// A series' color, and its shape for readers who do not tell the colors apart.
struct SeriesStyle {
  std::string_view color;
  std::string_view shape;
};

/// Gives a phase, mode, precision or network size one fixed style on every page. Any other name
/// gets a style by `index`, its place among the series of the chart.
SeriesStyle series_style(std::string_view name, std::size_t index);

/// The scale of a channel ("color", "stroke", "shape", "strokeDash") whose values are `labels`.
nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels);

/// The spec as it is drawn: with theme, background and total width. `height` in the spec is the
/// figure's total height for single and layered views, an inner view's height in a vconcat.
nlohmann::json themed(nlohmann::json spec, ChartWidth width);

/// The themed spec of an interactive chart that takes the place of `svg`, its own picture: its plot
/// has the picture's place and size, although a browser's letters are wider than the chart tool's.
/// The spec is returned unchanged if these cannot be read from `svg`.
nlohmann::json placed_as(nlohmann::json spec, std::string_view svg);

/// Renames an SVG's ids to "<prefix>-1", …: unique in a page, whatever was drawn before.
std::string with_unique_ids(std::string_view svg, std::string_view prefix);

}  // namespace labreport
