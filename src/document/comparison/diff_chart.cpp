// Ratios around 1 on a log axis: a line a cell, a sign a measure, the 95 % interval where known.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/format.h"
#include "document/charts/charts.h"
#include "document/comparison/diff_parts.h"

namespace labreport {
namespace {

constexpr double kNoticed = 0.1;
constexpr int kLine = 24;
constexpr int kRatioAxisHeight = 92;
constexpr int kWidestRowLabel = 260;
constexpr double kLetter = 7.1;

struct Point {
  std::string line;
  std::string measure;
  const NumberedRow* row;
};

/// There is little room beside a plot, and what a number after a size is, the table says.
std::string short_label(const ComparedRow& row) {
  std::string label = cell_label(row.spec, row.size);
  const std::string_view said = "context ";
  const std::size_t at = label.find(said);
  return at == std::string::npos ? label : label.erase(at, said.size());
}

std::vector<Point> points_of(const DiffRows& rows, bool noticed_alone) {
  std::vector<Point> points;
  for (const NumberedRow& numbered : rows) {
    const ComparedRow& row = *numbered.row;
    if (!row.ratio) continue;
    if (noticed_alone && std::abs(std::log(*row.ratio)) < std::log1p(kNoticed)) continue;
    points.push_back({short_label(row), describe(row.measure), &numbered});
  }
  return points;
}

void add_once(std::vector<std::string>& labels, const std::string& label) {
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
}

std::vector<std::string> distinct(const std::vector<Point>& points, std::string Point::* label) {
  std::vector<std::string> labels;
  for (const Point& point : points) add_once(labels, point.*label);
  return labels;
}

nlohmann::json values_of(const std::vector<Point>& points) {
  nlohmann::json values = nlohmann::json::array();
  for (const Point& point : points) {
    const ComparedRow& row = *point.row->row;
    nlohmann::json value = {{"cell", point.line},
                            {"measure", point.measure},
                            {"ratio", *row.ratio},
                            {"text", format_ratio(*row.ratio) + " ×"},
                            {"verdict", row.judged ? std::string(name(row.judged->verdict)) : "–"},
                            {"href", "#row-" + std::to_string(point.row->number)}};
    if (row.interval) {
      value["low"] = row.interval->first;
      value["high"] = row.interval->second;
    }
    values.push_back(std::move(value));
  }
  return values;
}

nlohmann::json with_interval(const nlohmann::json& values) {
  nlohmann::json kept = nlohmann::json::array();
  for (const nlohmann::json& value : values) {
    if (value.contains("low")) kept.push_back(value);
  }
  return kept;
}

nlohmann::json layer(const std::string& name, const nlohmann::json& values, nlohmann::json mark,
                     nlohmann::json encoding) {
  return {{"name", name},
          {"data", {{"values", values}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

/// From well below the least ratio to well above the largest, 1 among them.
nlohmann::json ratio_channel(const char* field, const nlohmann::json& values) {
  double low = 1;
  double high = 1;
  for (const nlohmann::json& value : values) {
    low = std::min({low, value["ratio"].get<double>(), value.value("low", 1.0)});
    high = std::max({high, value["ratio"].get<double>(), value.value("high", 1.0)});
  }
  nlohmann::json channel = log_channel(field, "B ÷ A", "");
  constexpr double kRoom = 1.08;
  channel["scale"]["domain"] = {low / kRoom, high * kRoom};
  channel["axis"] = {{"format", ",~r"}, {"tickCount", 6}, {"labelOverlap", true}};
  return channel;
}

nlohmann::json tooltips() {
  const auto tip = [](const char* field, const char* title) {
    return nlohmann::json{{"field", field}, {"type", "nominal"}, {"title", title}};
  };
  return {tip("cell", "cell"), tip("measure", "what"), tip("text", "B ÷ A"),
          tip("verdict", "verdict")};
}

nlohmann::json ratio_spec(const std::vector<Point>& points) {
  const nlohmann::json values = values_of(points);
  const std::vector<std::string> lines = distinct(points, &Point::line);
  const std::vector<std::string> measures = distinct(points, &Point::measure);
  nlohmann::json y = category_channel("cell", lines);
  y["axis"] = {{"grid", true},
               {"labelLimit", kWidestRowLabel},
               {"minExtent", std::min(kWidestRowLabel, label_room(lines, kLetter))},
               {"labelColor", ink::kText}};
  const nlohmann::json x = ratio_channel("ratio", values);
  nlohmann::json layers = nlohmann::json::array();
  const nlohmann::json one = {{"datum", 1}, {"type", "quantitative"}};
  layers.push_back({{"data", {{"values", {{{"ratio", 1}}}}}},
                    {"mark", {{"type", "rule"}, {"color", ink::kAxis}, {"strokeDash", {4, 3}}}},
                    {"encoding", {{"x", one}}}});
  layers.push_back(
      layer("intervals", with_interval(values),
            {{"type", "rule"}, {"color", ink::kAxis}, {"strokeWidth", 2}},
            {{"y", y}, {"x", ratio_channel("low", values)}, {"x2", {{"field", "high"}}}}));
  nlohmann::json colour = colour_channel("measure", measures);
  nlohmann::json shape = shape_channel("measure", measures);
  if (measures.size() > 1) {
    const nlohmann::json key = {
        {"title", nullptr}, {"orient", "top"}, {"columns", 4}, {"offset", 6}};
    colour["legend"] = key;
    shape["legend"] = key;
  }
  layers.push_back(layer(kSeriesLayer, values, {{"type", "point"}, {"size", 70}},
                         {{"y", y},
                          {"x", x},
                          {"color", colour},
                          {"shape", shape},
                          {"href", {{"field", "href"}}},
                          {"tooltip", tooltips()}}));
  return {{"height", static_cast<int>(lines.size()) * kLine + kRatioAxisHeight}, {"layer", layers}};
}

std::string range_words(const std::vector<Point>& points) {
  std::vector<double> ratios;
  for (const Point& point : points) ratios.push_back(*point.row->row->ratio);
  const auto [low, high] = std::ranges::minmax(ratios);
  return format_ratio(low) + " to " + format_ratio(high);
}

Figure figure(const std::string& slug, const std::string& title, const std::vector<Point>& points) {
  return {.slug = slug,
          .title = title,
          .caption =
              "Left of the dashed line B needs less than A, right of it more. A line through "
              "a sign is the 95 % interval, where one is known.",
          .alt = "Ratios B ÷ A of " +
                 format_plural(static_cast<std::int64_t>(points.size()), "row") + ", from " +
                 range_words(points) + ".",
          .spec = ratio_spec(points),
          .data = {}};
}

}  // namespace

std::vector<Figure> ratio_figures(const std::string& problem, const std::string& title,
                                  const DiffRows& rows) {
  const std::vector<Point> all = points_of(rows, false);
  if (all.empty()) return {};
  std::vector<Figure> figures{figure("ratios-" + problem, title, all)};
  const std::vector<Point> noticed = points_of(rows, true);
  if (noticed.empty() || noticed.size() == all.size()) return figures;
  figures.push_back(figure("ratios-" + problem + "-noticed", title, noticed));
  for (Figure& each : figures) each.family = "Cells";
  figures[0].variant = "all";
  figures[1].variant = "10 % or more apart";
  figures[1].caption +=
      " The table below has all rows; sorted by Change it begins or ends with these.";
  return figures;
}

}  // namespace labreport
