#include "experiments/nsys_profile/roofline_chart.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/charts.h"

namespace labreport::nsys_profile {
namespace {

using Json = nlohmann::json;

constexpr int kHeight = 340;
constexpr double kTera = 1e12;
constexpr double kMargin = 2.5;  // Beyond the outermost point, as a factor.

struct Extent {
  double left, right, bottom, top;
};

Extent extent_of(const Roofline& roofline) {
  const double ridge = roofline.matrix_rate / roofline.bandwidth;
  Extent extent{ridge, ridge, roofline.matrix_rate, roofline.matrix_rate};
  for (const RooflinePoint& point : roofline.points) {
    extent.left = std::min(extent.left, point.intensity);
    extent.right = std::max(extent.right, point.intensity);
    extent.bottom = std::min(extent.bottom, point.rate);
    extent.top = std::max(extent.top, point.rate);
  }
  return {extent.left / kMargin, extent.right * kMargin, extent.bottom / kMargin,
          extent.top * kMargin};
}

Json channel(const char* field, const char* title, const char* unit, double low, double high) {
  Json channel = log_channel(field, title, unit);
  channel["scale"]["domain"] = {low, high};
  channel["axis"] = {{"format", ",~r"}, {"labelOverlap", true}, {"tickCount", 5}};
  return channel;
}

constexpr double kClose = 1.4;  // As a factor, in both directions: names would overlap.
constexpr int kLine = 15;

bool close(double a, double b) { return a < b * kClose && b < a * kClose; }

/// How far below its point a name stands, so that those of points close together can be read.
int name_offset(const std::vector<RooflinePoint>& points, std::size_t index) {
  const RooflinePoint& point = points[index];
  return kLine * static_cast<int>(std::count_if(points.begin(),
                                                points.begin() + static_cast<std::ptrdiff_t>(index),
                                                [&](const RooflinePoint& other) {
                                                  return close(other.intensity, point.intensity) &&
                                                         close(other.rate, point.rate);
                                                }));
}

Json point_rows(const Roofline& roofline) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (point.intensity <= 0 || point.rate <= 0) continue;
    rows.push_back({{"label", point.label},
                    {"x", point.intensity},
                    {"y", point.rate / kTera},
                    {"dy", name_offset(roofline.points, i)},
                    {"text", format_significant(point.rate / kTera, 3)}});
  }
  return rows;
}

Json roof_rows(const Roofline& roofline, const Extent& extent) {
  const double ridge = roofline.matrix_rate / roofline.bandwidth;
  Json rows = Json::array();
  for (const double x : {extent.left, ridge, extent.right}) {
    const double y = std::min(roofline.matrix_rate, roofline.bandwidth * x);
    rows.push_back({{"x", x}, {"y", y / kTera}});
  }
  return rows;
}

}  // namespace

Json roofline_chart(const Roofline& roofline) {
  const Extent extent = extent_of(roofline);
  const Json x = channel("x", "Arithmetic intensity", "FLOP/B", extent.left, extent.right);
  const Json y =
      channel("y", "Attained rate", "TFLOP/s", extent.bottom / kTera, extent.top / kTera);
  const Json roof = {{"data", {{"values", roof_rows(roofline, extent)}}},
                     {"mark", {{"type", "line"}, {"color", ink::kAxis}, {"clip", true}}},
                     {"encoding", {{"x", x}, {"y", y}}}};
  const std::string words = roofline.precision + " " +
                            format_significant(roofline.matrix_rate / kTera, 3) + " TFLOP/s, " +
                            format_significant(roofline.bandwidth / kTera, 3) + " TB/s";
  const double ridge = roofline.matrix_rate / roofline.bandwidth;
  const Json name = {
      {"data",
       {{"values", {{{"x", ridge}, {"y", roofline.matrix_rate / kTera}, {"text", words}}}}}},
      {"mark",
       {{"type", "text"}, {"align", "left"}, {"dx", 4}, {"dy", -9}, {"color", ink::kMuted}}},
      {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}};
  std::vector<std::string> labels;
  for (const RooflinePoint& point : roofline.points) labels.push_back(point.label);
  const Json place = {{"x", x}, {"y", y}, {"color", colour_channel("label", labels)}};
  Json dots = place;
  dots["shape"] = shape_channel("label", labels);
  dots["tooltip"] = {{{"field", "label"}, {"type", "nominal"}, {"title", "stage"}},
                     {{"field", "text"}, {"type", "nominal"}, {"title", "TFLOP/s"}}};
  Json text = place;
  text["text"] = {{"field", "label"}};
  const Json data = {{"values", point_rows(roofline)}};
  const Json points = {{"name", kSeriesLayer},
                       {"data", data},
                       {"mark", {{"type", "point"}, {"size", 80}}},
                       {"encoding", dots}};
  const Json names = {
      {"name", kWideOnly},
      {"data", data},
      {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 10}, {"dy", {{"expr", "datum.dy"}}}}},
      {"encoding", text}};
  return {{"height", kHeight},
          {"padding", {{"left", 6}, {"top", 10}, {"right", 60}, {"bottom", 2}}},
          {"layer", {roof, name, points, names}}};
}

}  // namespace labreport::nsys_profile
