#include "document/charts/charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "embedded/document.h"

namespace labreport {
namespace {

/// Pixels that axis labels take beside an inner view, which cannot be given a total width.
constexpr int kAxisLabelPixels = 84;
/// Padding on each side of a chart for phones, whose letters are wider than the chart tool's.
constexpr int kPhonePaddingPixels = 8;

/// Sets the width of a view; in a vconcat or facet, which have no width, that of its inner views.
void set_inner_width(nlohmann::json& view, int width) {
  if (view.contains("vconcat")) {
    for (nlohmann::json& child : view["vconcat"]) set_inner_width(child, width);
  } else if (view.contains("spec")) {
    const int columns = view.value("columns", 1);
    const int spacing = view.value("spacing", 0);
    set_inner_width(view["spec"], (width - (columns - 1) * spacing) / columns);
  } else {
    view["width"] = width;
  }
}

/// Replaces control characters, with which a picture is no valid SVG, and characters that take two
/// units of UTF-16. The tool may cut a long label between two such units, and then fails.
std::string drawable(std::string_view text) {
  constexpr unsigned char kFourBytes = 0xF0;
  constexpr std::string_view kReplacement = "\uFFFD";
  const std::string visible = printable(text, kLinesAndTabs);
  std::string result;
  for (std::size_t i = 0; i < visible.size();) {
    const bool is_pair = static_cast<unsigned char>(visible[i]) >= kFourBytes;
    result += is_pair ? kReplacement : std::string_view(visible).substr(i, 1);
    i += is_pair ? 4 : 1;
  }
  return result;
}

/// True if `drawable` would not change the text. For printable ASCII, this takes no copy.
bool is_drawable(const std::string& text) {
  const auto is_plain = [](char letter) { return letter >= ' ' && letter <= '~'; };
  return std::ranges::all_of(text, is_plain) || drawable(text) == text;
}

/// Makes every text and every name in a spec drawable.
void make_drawable(nlohmann::json& spec) {
  if (spec.is_string()) {
    const auto& text = spec.get_ref<const std::string&>();
    if (!is_drawable(text)) spec = drawable(text);
    return;
  }
  if (!spec.is_structured()) return;
  for (nlohmann::json& inner : spec) make_drawable(inner);
  if (!spec.is_object()) return;
  const auto may_stay = [](const auto& entry) { return is_drawable(entry.key()); };
  if (std::ranges::all_of(spec.items(), may_stay)) return;
  nlohmann::json renamed = nlohmann::json::object();
  for (auto& [name, inner] : spec.items()) renamed[drawable(name)] = std::move(inner);
  spec = std::move(renamed);
}

constexpr std::string_view kWideOnly = "wide-only";
constexpr std::string_view kNarrowOnly = "narrow-only";
constexpr std::string_view kSeriesLayer = "series";

bool has_name_prefix(const nlohmann::json& layer, std::string_view prefix) {
  return layer.contains("name") && layer["name"].get<std::string>().starts_with(prefix);
}

/// Shows legends above the plot. The figure's file may set their distance to the plot, `offset`.
void show_legends(nlohmann::json& layer) {
  nlohmann::json legend = {{"title", nullptr},    {"orient", "top"}, {"columns", 2},
                           {"columnPadding", 26}, {"offset", 4},     {"symbolOpacity", 1},
                           {"labelFontSize", 11}};
  for (const char* channel : {"color", "strokeDash", "shape"}) {
    if (!layer.contains("encoding") || !layer["encoding"].contains(channel)) continue;
    nlohmann::json& channel_legend = layer["encoding"][channel]["legend"];
    if (channel_legend.is_object()) legend["offset"] = channel_legend.value("offset", 4);
    channel_legend = legend;
  }
  if (!layer.contains("layer")) return;
  for (nlohmann::json& inner : layer["layer"]) show_legends(inner);
}

/// Removes layers that belong to the other width. Series get a legend on a phone if `with_legend`.
void fit_layers(nlohmann::json& layers, ChartWidth width, bool with_legend) {
  const std::string_view other_width = width == ChartWidth::kWide ? kNarrowOnly : kWideOnly;
  nlohmann::json fitting = nlohmann::json::array();
  for (nlohmann::json& layer : layers) {
    if (has_name_prefix(layer, other_width)) continue;
    const bool is_series = has_name_prefix(layer, kSeriesLayer);
    if (is_series && width == ChartWidth::kNarrow && with_legend) show_legends(layer);
    layer.erase("name");
    fitting.push_back(std::move(layer));
  }
  layers = std::move(fitting);
}

/// Removes the text up to the next `prefix` and returns the number after it; NaN if there is none.
double take_number(std::string_view& text, std::string_view prefix) {
  const std::size_t at = std::min(text.find(prefix), text.size());
  text.remove_prefix(std::min(at + prefix.size(), text.size()));
  return leading_number<double>(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Adapts the spec to the width. A layer whose name begins with "wide-only" or "narrow-only" is
/// drawn at that width only. On a phone, there is no room for words beside the plot, so a legend
/// above it explains a layer whose name begins with "series". On a phone, `usermeta.narrow` in the
/// figure's file is merged into the spec (RFC 7396). Returns the total width, which
/// `usermeta.width` sets for figures as wide as a page without a list of contents.
int fit_to_width(nlohmann::json& spec, ChartWidth width) {
  int total_width = width == ChartWidth::kWide ? kWideChartPixels : kNarrowChartPixels;
  if (spec.contains("usermeta")) {
    if (width == ChartWidth::kWide) total_width = spec["usermeta"].value("width", total_width);
    const nlohmann::json narrow = spec["usermeta"].value("narrow", nlohmann::json::object());
    if (width == ChartWidth::kNarrow) spec.merge_patch(narrow);
    spec.erase("usermeta");
  }
  if (spec.contains("layer")) fit_layers(spec["layer"], width, true);
  // The panels of a facet share the legends that its file describes.
  if (spec.contains("spec") && spec["spec"].contains("layer"))
    fit_layers(spec["spec"]["layer"], width, false);
  if (!spec.contains("vconcat")) return total_width;
  bool is_first = true;  // Only the first panel shows the legend.
  for (nlohmann::json& panel : spec["vconcat"]) {
    if (panel.contains("layer")) fit_layers(panel["layer"], width, is_first);
    is_first = false;
  }
  return total_width;
}

}  // namespace

const nlohmann::json& chart_theme() {
  static const auto theme =
      nlohmann::json::parse(embedded::document().at("src/document/charts/theme.json"));
  return theme;
}

SeriesStyle series_style(std::string_view name, std::size_t index) {
  const nlohmann::json& styles = chart_theme()["styles"];
  const nlohmann::json& other_styles = chart_theme()["others"];
  const auto found = styles.find(name);
  const nlohmann::json& style =
      found != styles.end() ? *found : other_styles[index % other_styles.size()];
  return {chart_theme()["colors"][style[0]].get<std::string_view>(),
          style[1].get<std::string_view>()};
}

nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels) {
  const nlohmann::json& dashes = chart_theme()["dashes"];
  nlohmann::json range = nlohmann::json::array();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [color, shape] = series_style(labels[i], i);
    const bool is_color = channel == "color" || channel == "stroke";
    range.push_back(is_color             ? nlohmann::json(color)
                    : channel == "shape" ? nlohmann::json(shape)
                                         : dashes[i % dashes.size()]);
  }
  return {{"domain", labels}, {"range", range}};
}

nlohmann::json themed(nlohmann::json spec, ChartWidth width) {
  make_drawable(spec);
  const int total_width = fit_to_width(spec, width);
  const bool has_inner_views = spec.contains("vconcat") || spec.contains("spec");
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["config"] = chart_theme()["config"];
  spec["background"] = chart_theme()["background"];
  if (!spec.contains("padding")) {
    spec["padding"] = {{"left", 6}, {"top", 6}, {"right", 10}, {"bottom", 2}};
  }
  if (width == ChartWidth::kNarrow) {
    for (const char* side : {"left", "right"}) {
      spec["padding"][side] = spec["padding"].value(side, 0) + kPhonePaddingPixels;
    }
  }
  if (has_inner_views) {
    // The padding holds words right of a plot and is not part of an inner view's width.
    set_inner_width(spec, total_width - kAxisLabelPixels - spec["padding"]["right"].get<int>());
  } else {
    spec["width"] = total_width;
    spec["autosize"] = {{"type", "fit"}, {"contains", "padding"}};
  }
  return spec;
}

nlohmann::json with_plot_placed_as(nlohmann::json spec, std::string_view svg) {
  const double width = take_number(svg, " width=\""), height = take_number(svg, " height=\"");
  const double left = take_number(svg, "translate("), top = take_number(svg, ",");
  take_number(svg, "class=\"background\"");
  take_number(svg, " d=\"M");  // The plot's background is "M0,0h600v300h-600Z".
  const double plot_width = take_number(svg, "h"), plot_height = take_number(svg, "v");
  if (!std::isfinite(width + height + left + top + plot_width + plot_height)) return spec;
  spec["autosize"] = "none";
  spec["padding"] = {{"left", left},
                     {"top", top},
                     {"right", width - left - plot_width},
                     {"bottom", height - top - plot_height}};
  if (spec.contains("width")) spec["width"] = plot_width;
  if (spec.contains("height") && spec["height"].is_number()) spec["height"] = plot_height;
  return spec;
}

std::string with_unique_ids(std::string_view svg, std::string_view prefix) {
  // An id occurs between an opening and a closing character.
  struct IdForm {
    std::string_view opening;
    char closing;
  };
  static constexpr IdForm kIdForms[] = {{" id=\"", '"'}, {"url(#", ')'}, {"href=\"#", '"'}};
  std::map<std::string, std::string, std::less<>> new_ids;
  std::string rewritten;
  rewritten.reserve(svg.size());
  while (!svg.empty()) {
    std::size_t next = std::string_view::npos;
    const IdForm* form = nullptr;
    for (const IdForm& candidate : kIdForms) {
      const std::size_t at = svg.find(candidate.opening);
      if (at < next) next = at, form = &candidate;
    }
    if (form == nullptr) break;
    const std::size_t begin = next + form->opening.size();
    const std::size_t end = std::min(svg.find(form->closing, begin), svg.size());
    const std::string old_id(svg.substr(begin, end - begin));
    const std::string new_id = std::string(prefix) + "-" + std::to_string(new_ids.size() + 1);
    rewritten.append(svg.substr(0, begin)).append(new_ids.emplace(old_id, new_id).first->second);
    svg.remove_prefix(end);
  }
  return rewritten.append(svg);
}

}  // namespace labreport
