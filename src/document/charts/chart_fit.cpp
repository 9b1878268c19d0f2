// What a chart shows at one of its two widths only.
#include <algorithm>
#include <string_view>

#include "document/charts/charts.h"

namespace labreport {
namespace {

constexpr std::string_view kWideOnly = "wide-only";
constexpr std::string_view kNarrowOnly = "narrow-only";
constexpr std::string_view kSeriesLayer = "series";

bool named(const nlohmann::json& layer, std::string_view prefix) {
  return layer.contains("name") && layer["name"].get<std::string>().starts_with(prefix);
}

/// A key above the plot, in place of words beside it.
void show_legend(nlohmann::json& encoding) {
  const nlohmann::json legend = {
      {"title", nullptr}, {"orient", "top"}, {"columns", 2}, {"offset", 4}};
  for (const char* channel : {"color", "strokeDash", "shape"}) {
    if (encoding.contains(channel)) encoding[channel]["legend"] = legend;
  }
}

void show_legends(nlohmann::json& layer) {
  if (layer.contains("encoding")) show_legend(layer["encoding"]);
  if (!layer.contains("layer")) return;
  for (nlohmann::json& inner : layer["layer"]) show_legends(inner);
}

void fit_layers(nlohmann::json& layers, ChartWidth width, bool legend) {
  const std::string_view other = width == ChartWidth::kWide ? kNarrowOnly : kWideOnly;
  nlohmann::json kept = nlohmann::json::array();
  for (nlohmann::json& layer : layers) {
    if (named(layer, other)) continue;
    if (named(layer, kSeriesLayer) && width == ChartWidth::kNarrow && legend) show_legends(layer);
    layer.erase("name");
    kept.push_back(std::move(layer));
  }
  layers = std::move(kept);
}

}  // namespace

void fit_to_width(nlohmann::json& spec, ChartWidth width) {
  if (spec.contains("usermeta")) {
    const nlohmann::json narrow = spec["usermeta"].value("narrow", nlohmann::json::object());
    if (width == ChartWidth::kNarrow) spec.merge_patch(narrow);
    spec.erase("usermeta");
  }
  if (spec.contains("layer")) fit_layers(spec["layer"], width, true);
  if (!spec.contains("vconcat")) return;
  bool first = true;  // One key serves all panels.
  for (nlohmann::json& panel : spec["vconcat"]) {
    if (panel.contains("layer")) fit_layers(panel["layer"], width, first);
    first = false;
  }
}

}  // namespace labreport
