// What all charts share: theme, colors and shapes, both widths. Specs are Vega-Lite.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// How wide a figure is drawn, axes and labels included: for a page, and for a phone.
enum class ChartWidth { kWide, kNarrow };

inline constexpr int kWideChart = 720;
inline constexpr int kNarrowChart = 350;

/// charts/theme.json: Vega-Lite's `config` and `background`; the `colors` of series, which site/
/// charts.css turns dark when asked, and the color and shape of each series that is known by name.
const nlohmann::json& chart_theme();

/// A series' two signs; color is never the only one.
struct SeriesStyle {
  std::string_view color;
  std::string_view shape;
};

/// The one fixed assignment: a phase, mode, precision or size looks alike on every page. A name
/// that it does not know takes its place from `index` among its siblings.
SeriesStyle series_style(std::string_view name, std::size_t index);

/// The scale of a channel ("color", "stroke", "shape", "strokeDash") whose values are `labels`.
nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels);

/// The spec as it is drawn: with theme, paper and the total width. `height` in the spec is the
/// figure's total height for single and layered views, an inner view's height in a vconcat.
nlohmann::json themed(nlohmann::json spec, ChartWidth width);

/// The themed spec of an interactive chart that takes the place of `svg`, its own picture: its plot
/// has the picture's place and size, although a browser's letters are wider than the tool's. The
/// spec stays as it is where the picture does not tell them.
nlohmann::json placed_as(nlohmann::json spec, std::string_view svg);

/// An SVG's ids made unique in a page and independent of what was drawn before it.
std::string with_unique_ids(std::string_view svg, std::string_view prefix);

}  // namespace labreport
