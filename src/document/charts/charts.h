// Defines what all charts share: theme, colors and shapes, both widths. Specs are Vega-Lite.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// The width of a figure with axes and labels: on a page, and on a phone.
enum class ChartWidth { kWide, kNarrow };

inline constexpr int kWideChart = 720;
inline constexpr int kNarrowChart = 350;

/// charts/theme.json: Vega-Lite's `config` and `background`; the `colors` of series, which site/
/// charts.css turns dark when asked, and the color and shape of each series that is known by name.
const nlohmann::json& chart_theme();

/// A series' color and its second sign, because color must never be the only one.
struct SeriesStyle {
  std::string_view color;
  std::string_view shape;
};

/// Assigns one fixed style to a phase, mode, precision or size on every page. Any other name gets a
/// style by its `index` among its siblings.
SeriesStyle series_style(std::string_view name, std::size_t index);

/// The scale of a channel ("color", "stroke", "shape", "strokeDash") whose values are `labels`.
nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels);

/// The spec as it is drawn: with theme, paper and the total width. `height` in the spec is the
/// figure's total height for single and layered views, an inner view's height in a vconcat.
nlohmann::json themed(nlohmann::json spec, ChartWidth width);

/// The themed spec of an interactive chart that takes the place of `svg`, its own picture: its plot
/// has the picture's place and size, although a browser's letters are wider than the tool's. The
/// spec is returned unchanged if the picture does not show them.
nlohmann::json placed_as(nlohmann::json spec, std::string_view svg);

/// Makes an SVG's ids unique in a page and independent of what was drawn before it.
std::string with_unique_ids(std::string_view svg, std::string_view prefix);

}  // namespace labreport
