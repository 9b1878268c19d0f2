#include "document/charts/pair_chart.h"

#include <algorithm>
#include <ranges>

#include "base/format.h"
#include "document/charts/charts.h"

namespace labreport {
namespace {

constexpr int kLane = 20;
constexpr int kLaneGap = 16;
constexpr int kPairAxisHeight = 62;

nlohmann::json point_rows(const std::vector<Joined>& rows) {
  nlohmann::json points = nlohmann::json::array();
  for (const Joined& row : rows) {
    for (const auto& [series, value] : row.values) {
      points.push_back({{"group", row.group},
                        {"lane", row.lane},
                        {"series", series},
                        {"value", value},
                        {"text", format_significant(value)}});
    }
  }
  return points;
}

/// Where a line begins and ends, and its words.
nlohmann::json line_rows(const std::vector<Joined>& rows) {
  nlohmann::json lines = nlohmann::json::array();
  for (const Joined& row : rows) {
    if (row.values.empty()) continue;
    const auto value = [](const auto& entry) { return entry.second; };
    const auto [low, high] = std::ranges::minmax(row.values, {}, value);
    lines.push_back({{"group", row.group},
                     {"lane", row.lane},
                     {"low", low.second},
                     {"high", high.second},
                     {"short", row.text},
                     {"text", row.text.empty() ? row.lane : row.lane + "  " + row.text}});
  }
  return lines;
}

/// Names of dots that lie close together lean apart.
const char* lean(const Joined& row, double value) {
  constexpr double kClose = 1.5;
  const auto [low, high] = std::ranges::minmax(row.values | std::views::values);
  if (high > low * kClose || row.values.size() != 2) return "center";
  return value == low ? "right" : "left";
}

/// The first row doubles as the legend.
nlohmann::json name_rows(const std::vector<Joined>& rows) {
  nlohmann::json names = nlohmann::json::array();
  for (const Joined& row : rows) {
    if (row.values.size() < 2) continue;
    for (const auto& [series, value] : row.values) {
      names.push_back({{"group", row.group},
                       {"lane", row.lane},
                       {"series", series},
                       {"value", value},
                       {"align", lean(row, value)}});
    }
    break;
  }
  return names;
}

nlohmann::json gap_rows(const std::vector<Gap>& gaps, const std::string& lane) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Gap& gap : gaps) {
    rows.push_back({{"group", gap.group}, {"lane", lane}, {"reason", gap.reason}});
  }
  return rows;
}

nlohmann::json layer(const std::string& name, const nlohmann::json& rows, nlohmann::json mark,
                     nlohmann::json place, const nlohmann::json& more) {
  place.update(more);
  return {{"name", name},
          {"data", {{"values", rows}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(place)}};
}

nlohmann::json gap_layer(const std::vector<Gap>& gaps, const std::string& lane,
                         nlohmann::json place) {
  place["x"] = {{"value", 12}};
  const nlohmann::json mark = {{"type", "text"},
                               {"align", "left"},
                               {"fontStyle", "italic"},
                               {"limit", {{"expr", "width + 60"}}}};
  return layer("gaps", gap_rows(gaps, lane), mark, std::move(place),
               {{"text", {{"field", "reason"}}}, {"color", {{"value", ink::kMuted}}}});
}

}  // namespace

nlohmann::json joined_chart(const Quantity& quantity, const std::vector<std::string>& groups,
                            const std::vector<std::string>& lanes,
                            const std::vector<std::string>& series, const std::vector<Joined>& rows,
                            const std::vector<Gap>& gaps) {
  const auto x = [&](const char* field) {
    return log_channel(field, quantity.title, quantity.unit, 20);
  };
  nlohmann::json y = category_channel("group", groups);
  y["scale"] = {{"domain", groups}, {"paddingInner", 0.2}, {"paddingOuter", 0.15}};
  y["axis"] = {{"grid", false}, {"labelFontSize", 13}, {"labelColor", ink::kText}};
  const nlohmann::json lane = {
      {"field", "lane"}, {"type", "nominal"}, {"sort", lanes}, {"scale", {{"domain", lanes}}}};
  const nlohmann::json place = {{"y", y}, {"yOffset", lane}};
  const nlohmann::json colour = colour_channel("series", series);
  const auto tip = [](const char* field, const std::string& title) {
    return nlohmann::json{{"field", field}, {"type", "nominal"}, {"title", title}};
  };
  const nlohmann::json tooltip = {tip("group", "size"), tip("lane", "phase"),
                                  tip("series", "series"),
                                  tip("text", axis_title(quantity.title, quantity.unit))};
  nlohmann::json layers = nlohmann::json::array();
  layers.push_back(layer("joints", line_rows(rows), {{"type", "rule"}, {"color", ink::kAxis}},
                         place, {{"x", x("low")}, {"x2", {{"field", "high"}}}}));
  layers.push_back(layer(kSeriesLayer, point_rows(rows), {{"type", "point"}, {"size", 70}}, place,
                         {{"x", x("value")},
                          {"color", colour},
                          {"shape", shape_channel("series", series)},
                          {"tooltip", tooltip}}));
  const nlohmann::json beside = {{"type", "text"}, {"align", "left"}, {"dx", 10}};
  for (const auto& [name, text] : {std::pair{kWideOnly, "text"}, std::pair{kNarrowOnly, "short"}}) {
    layers.push_back(layer(name + std::string("-text"), line_rows(rows), beside, place,
                           {{"x", x("high")}, {"text", {{"field", text}}}}));
  }
  layers.push_back(layer(kWideOnly + std::string("-names"), name_rows(rows),
                         {{"type", "text"}, {"dy", -13}, {"align", {{"expr", "datum.align"}}}},
                         place,
                         {{"x", x("value")}, {"text", {{"field", "series"}}}, {"color", colour}}));
  if (!gaps.empty()) layers.push_back(gap_layer(gaps, lanes.back(), place));
  const int row = static_cast<int>(lanes.size()) * kLane + kLaneGap;
  return {{"height", static_cast<int>(groups.size()) * row + kPairAxisHeight},
          {"padding", {{"left", 10}, {"top", 14}, {"right", 122}, {"bottom", 2}}},
          {kNarrowPadding, {{"left", 6}, {"top", 4}, {"right", 52}, {"bottom", 2}}},
          {"layer", layers}};
}

}  // namespace labreport
