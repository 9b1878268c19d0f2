// What a chart shows at one of its two widths only.
#include <algorithm>
#include <string_view>

#include "report/charts.h"

namespace labreport {
namespace {

using Json = nlohmann::json;

bool named(const Json& layer, std::string_view prefix) {
  return layer.contains("name") && layer["name"].get<std::string>().starts_with(prefix);
}

/// A key above the plot, in place of words beside it.
void show_legend(Json& encoding) {
  const Json legend = {{"title", nullptr}, {"orient", "top"}, {"columns", 2}, {"offset", 4}};
  for (const char* channel : {"color", "strokeDash", "shape"}) {
    if (encoding.contains(channel)) encoding[channel]["legend"] = legend;
  }
}

void show_legends(Json& layer) {
  if (layer.contains("encoding")) show_legend(layer["encoding"]);
  if (!layer.contains("layer")) return;
  for (Json& inner : layer["layer"]) show_legends(inner);
}

void fit_layers(Json& layers, ChartWidth width, bool legend) {
  const std::string_view other = width == ChartWidth::kWide ? kNarrowOnly : kWideOnly;
  Json kept = Json::array();
  for (Json& layer : layers) {
    if (named(layer, other)) continue;
    if (named(layer, kSeriesLayer) && width == ChartWidth::kNarrow && legend) show_legends(layer);
    layer.erase("name");
    kept.push_back(std::move(layer));
  }
  layers = std::move(kept);
}

}  // namespace

void fit_to_width(Json& spec, ChartWidth width) {
  if (width == ChartWidth::kNarrow && spec.contains(kNarrowPadding)) {
    spec["padding"] = spec[kNarrowPadding];
  }
  spec.erase(kNarrowPadding);
  if (spec.contains("layer")) fit_layers(spec["layer"], width, true);
  if (!spec.contains("vconcat")) return;
  bool first = true;  // One key serves all panels.
  for (Json& panel : spec["vconcat"]) {
    if (panel.contains("layer")) fit_layers(panel["layer"], width, first);
    first = false;
  }
}

}  // namespace labreport
