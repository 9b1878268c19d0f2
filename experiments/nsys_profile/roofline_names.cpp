// Finds a place for each name in the roofline.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/text.h"
#include "experiments/nsys_profile/roofline.h"

namespace labreport::nsys_profile {
namespace {

// The size of the plot, and the padding of its scale of rates, in figures/roofline.vl.json. Axes
// and legend take the rest of the chart.
constexpr double kPlotMargin = 74, kPhoneMargin = 90, kPlotHeight = 246, kRatePadding = 30;
// The sizes of letters, which the browser draws wider than the chart tool does.
constexpr double kLetterWidth = 7.2, kRoofLetterWidth = 6.6, kLineHeight = 14;
constexpr double kDotRadius = 6;

struct Spot {
  double x, y;  ///< Pixels from the plot's top left corner.
};

struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  double distance_to(Spot spot) const {
    const double x = std::max({left - spot.x, 0.0, spot.x - right});
    const double y = std::max({top - spot.y, 0.0, spot.y - bottom});
    return std::hypot(x, y);
  }
};

/// A place beside a dot. The most usual comes first in a list.
struct Side {
  double dx, dy;  ///< From the dot to the words' baseline.
  const char* align;
};

constexpr Side kSides[]{
    {9, 4, "left"},    {-8, 4, "right"},   {0, -10, "center"}, {0, 19, "center"}, {8, -6, "left"},
    {8, 15, "left"},   {-8, -6, "right"},  {-8, 15, "right"},  {-2, -10, "left"}, {-2, 19, "left"},
    {2, -10, "right"}, {2, 19, "right"},   {-12, -10, "left"}, {-12, 19, "left"}, {8, -16, "left"},
    {8, 25, "left"},   {-8, -16, "right"}, {-8, 25, "right"}};

Box box_at(Spot spot, const Side& side, double width) {
  const std::string_view align = side.align;
  const double from_left = align == "left" ? 0 : align == "right" ? width : width / 2;
  const double left = spot.x + side.dx - from_left, baseline = spot.y + side.dy;
  return {left, baseline - 11, left + width, baseline + 3};
}

double words_width(const std::string& words, double letter_width) {
  return letter_width * static_cast<double>(letter_count(words));
}

/// Converts numbers to places in the plot. Both axes are logarithmic.
class Plot {
 public:
  Plot(const std::vector<RooflinePoint>& points, const std::vector<RoofCorner>& roof,
       ChartWidth width)
      : width_(width == ChartWidth::kWide ? kWideChartPixels - kPlotMargin
                                          : kNarrowChartPixels - kPhoneMargin) {
    for (const RooflinePoint& point : points)
      include(point.intensity(), point.teraflops_per_second());
    for (const RoofCorner& corner : roof) include(corner.intensity, corner.teraflops_per_second);
  }

  Spot at(double intensity, double rate) const {
    const double x = (std::log(intensity) - left_) / std::max(right_ - left_, kLeastRange);
    const double y = (std::log(rate) - bottom_) / std::max(top_ - bottom_, kLeastRange);
    return {x * width_, kPlotHeight - kRatePadding - y * (kPlotHeight - 2 * kRatePadding)};
  }

  /// True if words in the box are neither cut by the picture's edge nor touched by an axis.
  bool contains(const Box& box) const {
    return box.left > -2 && box.right < width_ + 8 && box.top > -2 && box.bottom < kPlotHeight - 3;
  }

 private:
  static constexpr double kLeastRange = 1e-9;

  void include(double intensity, double rate) {
    left_ = std::min(left_, std::log(intensity));
    right_ = std::max(right_, std::log(intensity));
    bottom_ = std::min(bottom_, std::log(rate));
    top_ = std::max(top_, std::log(rate));
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double width_;
  double left_ = kInfinity, right_ = -kInfinity, bottom_ = kInfinity, top_ = -kInfinity;
};

/// The dots and lines that names must avoid.
struct Obstacles {
  std::vector<Spot> dots;        ///< The dots of the first precision, which have names.
  std::vector<Spot> other_dots;  ///< The dots of the other precision.
  std::vector<std::pair<Spot, Spot>> lines;
  std::vector<Box> words;
};

Obstacles obstacles_of(const Plot& plot, const std::vector<RooflinePoint>& points,
                       const std::vector<RoofCorner>& roof, ChartWidth width) {
  Obstacles obstacles;
  for (const RooflinePoint& point : points) {
    const Spot spot = plot.at(point.intensity(), point.teraflops_per_second());
    const bool is_named = point.precision == points.front().precision;
    (is_named ? obstacles.dots : obstacles.other_dots).push_back(spot);
    const auto first = std::ranges::find(
        points, point.work.name, [](const RooflinePoint& other) { return other.work.name; });
    obstacles.lines.emplace_back(plot.at(first->intensity(), first->teraflops_per_second()), spot);
  }
  for (std::size_t i = 0; i < roof.size(); ++i) {
    const Spot spot = plot.at(roof[i].intensity, roof[i].teraflops_per_second);
    if (i > 0 && roof[i - 1].precision == roof[i].precision) {
      obstacles.lines.emplace_back(plot.at(roof[i - 1].intensity, roof[i - 1].teraflops_per_second),
                                   spot);
    }
    if (roof[i].label.empty()) continue;
    const bool is_narrow = width == ChartWidth::kNarrow;  // A phone shows the words to the comma.
    const std::string words = roof[i].label.substr(0, is_narrow ? roof[i].label.find(',') : -1);
    obstacles.words.push_back(
        box_at(spot, {-8, -5, "right"}, words_width(words, kRoofLetterWidth)));
  }
  return obstacles;
}

bool crosses(const Box& box, const std::pair<Spot, Spot>& line) {
  constexpr int kSteps = 64;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    const Spot spot{line.first.x + t * (line.second.x - line.first.x),
                    line.first.y + t * (line.second.y - line.first.y)};
    if (box.distance_to(spot) <= 0) return true;
  }
  return false;
}

/// Returns how bad a place is apart from other names. Each penalty outweighs all smaller ones.
double penalty(const Box& box, Spot own, const Plot& plot, const Obstacles& obstacles) {
  constexpr double kCut = 3000, kOnWords = 1000, kAtOtherDot = 500, kOnDot = 200, kOnLine = 30;
  constexpr double kOneDot = 4;  // Dots within this distance look like one.
  double sum = plot.contains(box) ? 0 : kCut;
  bool is_at_other_dot = false;
  for (const Spot& spot : obstacles.dots) {
    const double distance = box.distance_to(spot);
    if (distance < kDotRadius) sum += kOnDot;
    is_at_other_dot = is_at_other_dot || (std::hypot(spot.x - own.x, spot.y - own.y) > kOneDot &&
                                          distance < box.distance_to(own) + 0.3);
  }
  for (const Spot& spot : obstacles.other_dots) {
    if (box.distance_to(spot) < kDotRadius) sum += kOnDot;
  }
  if (is_at_other_dot) sum += kAtOtherDot;
  for (const Box& words : obstacles.words) sum += box.overlaps(words) ? kOnWords : 0;
  for (const auto& line : obstacles.lines) sum += crosses(box, line) ? kOnLine : 0;
  return sum;
}

}  // namespace

std::vector<DotName> place_names(const std::vector<RooflinePoint>& points,
                                 const std::vector<RoofCorner>& roof, ChartWidth width) {
  constexpr double kOnName = 1000;
  constexpr int kRounds = 8;  // Moving one name may free a place for another.
  const Plot plot(points, roof, width);
  const Obstacles obstacles = obstacles_of(plot, points, roof, width);
  std::vector<DotName> names;
  std::vector<Box> boxes;
  for (const RooflinePoint& point : points) {
    if (point.precision == points.front().precision) names.push_back({&point, width, 0, 0, ""});
  }
  // The longest name has the fewest places, so it chooses first.
  std::ranges::stable_sort(names, std::greater<>(),
                           [](const DotName& name) { return letter_count(name.point->work.name); });
  boxes.resize(names.size(), Box{-1, -1, -1, -1});
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const RooflinePoint& point = *names[i].point;
      const Spot spot = plot.at(point.intensity(), point.teraflops_per_second());
      double least = std::numeric_limits<double>::infinity();
      for (const Side& side : kSides) {
        const Box box = box_at(spot, side, words_width(point.work.name, kLetterWidth));
        double sum = penalty(box, spot, plot, obstacles) + static_cast<double>(&side - kSides);
        for (std::size_t other = 0; other < boxes.size(); ++other)
          sum += other != i && box.overlaps(boxes[other]) ? kOnName : 0;
        if (sum >= least) continue;
        least = sum;
        boxes[i] = box;
        names[i].dx = side.dx, names[i].dy = side.dy, names[i].align = side.align;
      }
    }
  }
  std::ranges::sort(names, {}, &DotName::point);
  return names;
}

}  // namespace labreport::nsys_profile
