#include "document/charts/chart_forms.h"

#include <algorithm>

#include "base/format.h"
#include "base/statistics.h"
#include "document/charts/charts.h"

namespace labreport {
namespace {

constexpr int kLaneHeight = 17;
constexpr int kGroupGap = 14;
constexpr int kAxisHeight = 52;
constexpr int kWidestLabel = 190;
constexpr double kWideLetter = 7.5;

nlohmann::json tooltip(const std::string& field, const std::string& title) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}};
}

nlohmann::json text_layer(nlohmann::json values, nlohmann::json mark, nlohmann::json encoding) {
  mark["type"] = "text";
  return {{"data", {{"values", std::move(values)}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

/// Where a dot's label may begin: right of its last tick.
double rightmost(const Dot& dot) {
  double end = dot.value;
  for (const double sample : dot.samples) end = std::max(end, sample);
  return end;
}

nlohmann::json dot_rows(const std::vector<Dot>& dots, const std::string& first_group) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Dot& dot : dots) {
    // The first group doubles as the legend: its dots carry their series' names.
    const std::string label = dot.group == first_group ? dot.series + "  " + dot.text : dot.text;
    rows.push_back({{"group", dot.group},
                    {"series", dot.series},
                    {"value", dot.value},
                    {"end", rightmost(dot)},
                    {"text", dot.text},
                    {"label", label}});
  }
  return rows;
}

nlohmann::json sample_rows(const std::vector<Dot>& dots) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Dot& dot : dots) {
    for (const double sample : dot.samples) {
      rows.push_back({{"group", dot.group}, {"series", dot.series}, {"value", sample}});
    }
  }
  return rows;
}

/// A gap stands in the lane of the first series that its group lacks.
nlohmann::json gap_rows(const std::vector<Gap>& gaps, const std::vector<std::string>& series,
                        const std::vector<Dot>& dots) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Gap& gap : gaps) {
    const auto lacking = std::ranges::find_if(series, [&](const std::string& name) {
      return std::ranges::none_of(
          dots, [&](const Dot& dot) { return dot.group == gap.group && dot.series == name; });
    });
    const std::string& lane = lacking == series.end() ? series.back() : *lacking;
    rows.push_back({{"group", gap.group}, {"series", lane}, {"reason", gap.reason}});
  }
  return rows;
}

}  // namespace

nlohmann::json dot_chart(const Quantity& quantity, const std::vector<std::string>& groups,
                         const std::vector<std::string>& series, const std::vector<Dot>& dots,
                         const std::vector<Gap>& gaps) {
  const nlohmann::json x = log_channel("value", quantity.title, quantity.unit, 16);
  nlohmann::json y = category_channel("group", groups);
  y["scale"] = {{"domain", groups}, {"paddingInner", 0.2}, {"paddingOuter", 0.1}};
  y["axis"] = {{"grid", false}, {"labelFontSize", 13}, {"labelColor", ink::kText}};
  const nlohmann::json lane = {
      {"field", "series"}, {"type", "nominal"}, {"sort", series}, {"scale", {{"domain", series}}}};
  const nlohmann::json colour = colour_channel("series", series);
  const nlohmann::json tip =
      nlohmann::json::array({tooltip("group", "size"), tooltip("series", "phase"),
                             tooltip("text", axis_title("mean ± std", quantity.unit))});
  const nlohmann::json place = {{"x", x}, {"y", y}, {"yOffset", lane}};
  nlohmann::json beside = place;
  beside["x"]["field"] = "end";
  const auto with = [](nlohmann::json encoding, const nlohmann::json& more) {
    encoding.update(more);
    return encoding;
  };
  const nlohmann::json ticks = {
      {"data", {{"values", sample_rows(dots)}}},
      {"mark", {{"type", "tick"}, {"thickness", 1}, {"size", kLaneHeight - 5}, {"opacity", 0.55}}},
      {"encoding", with(place, {{"color", colour}})}};
  const nlohmann::json points = {
      {"data", {{"values", dot_rows(dots, groups.empty() ? "" : groups.front())}}},
      {"layer",
       {{{"mark", {{"type", "point"}, {"size", 70}}},
         {"encoding",
          with(place,
               {{"color", colour}, {"shape", shape_channel("series", series)}, {"tooltip", tip}})}},
        {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 10}}},
         {"encoding", with(beside, {{"text", {{"field", "label"}}}})}}}}};
  nlohmann::json layers = nlohmann::json::array({ticks, points});
  if (!gaps.empty()) {
    const nlohmann::json mark = {
        {"align", "left"}, {"fontStyle", "italic"}, {"limit", {{"expr", "width + 60"}}}};
    layers.push_back(text_layer(gap_rows(gaps, series, dots), mark,
                                {{"x", {{"value", 12}}},
                                 {"y", y},
                                 {"yOffset", lane},
                                 {"text", {{"field", "reason"}}},
                                 {"color", {{"value", ink::kMuted}}}}));
  }
  const int row = static_cast<int>(series.size()) * kLaneHeight + kGroupGap;
  return {{"height", static_cast<int>(groups.size()) * row + kAxisHeight},
          {"padding", {{"left", 10}, {"top", 4}, {"right", 88}, {"bottom", 2}}},
          {"layer", layers}};
}

nlohmann::json strip_chart(const std::vector<Strip>& strips) {
  nlohmann::json rows = nlohmann::json::array();
  std::vector<std::string> labels;
  for (const Strip& strip : strips) {
    labels.push_back(strip.label);
    const double centre = strip.samples.empty() ? 0 : mean(strip.samples);
    if (centre == 0) continue;
    for (const double sample : strip.samples) {
      rows.push_back({{"row", strip.label}, {"deviation", 100 * (sample / centre - 1)}});
    }
  }
  nlohmann::json y = category_channel("row", labels);
  y["axis"] = {{"grid", true},
               {"labelLimit", kWidestLabel},
               {"minExtent", std::min(kWidestLabel, label_room(labels, kWideLetter))}};
  return {{"height", static_cast<int>(strips.size()) * 22 + kAxisHeight},
          {"data", {{"values", rows}}},
          {"mark", {{"type", "tick"}, {"thickness", 1.5}, {"size", 13}, {"opacity", 0.75}}},
          {"encoding",
           {{"x", linear_channel("deviation", "Distance from the mean", "%")},
            {"y", y},
            {"color", {{"value", series_style("forward", 0).colour}}}}}};
}

}  // namespace labreport
