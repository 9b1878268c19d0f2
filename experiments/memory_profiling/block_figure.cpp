#include "experiments/memory_profiling/block_figure.h"

#include <algorithm>

#include "base/text.h"
#include "document/charts/curve_chart.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kListedPoints = 24;

struct Point {
  double event = 0;
  std::string module;
  double bytes = 0;
};

std::vector<Point> points_of(const Launch& launch, std::string_view phase) {
  std::vector<Point> points;
  for (const MeasuredRow& row : measured_rows(launch, metric::kBlockTimeline)) {
    if (row.text(column::kPhase) != phase) continue;
    points.push_back({row.number(column::kEvent).value_or(0), row.text(column::kModule),
                      row.number(metric::kAllocated).value_or(0)});
  }
  std::ranges::stable_sort(points, {}, &Point::event);
  return points;
}

/// "attn/softmax" → "attn"; what the block does itself has no band.
std::string part_of(const std::string& module) { return module.substr(0, module.find('/')); }

std::vector<Band> bands_of(const std::vector<Point>& points) {
  std::vector<Band> bands;
  const double first = points.front().event;
  std::string current;
  for (const Point& point : points) {
    const std::string part = part_of(point.module);
    const double at = point.event - first;
    if (!bands.empty() && !current.empty()) bands.back().to = at;
    if (part != current && !part.empty()) bands.push_back({at, at, part});
    current = part;
  }
  std::erase_if(bands, [](const Band& band) { return band.to <= band.from; });
  return bands;
}

/// Memory holds its value until the next event: a step, not a slope.
Curve curve_of(const std::vector<Point>& points, const ByteUnit& unit) {
  Curve curve{"", {}};
  double before = 0;
  for (const Point& point : points) {
    const double x = point.event - points.front().event;
    const double y = (point.bytes - points.front().bytes) / unit.bytes;
    if (!curve.points.empty()) curve.points.emplace_back(x, before);
    curve.points.emplace_back(x, y);
    before = y;
  }
  return curve;
}

CurveChart panel(const std::vector<Point>& points, const std::string& title) {
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  CurveChart chart;
  chart.title = title;
  chart.x.quantity = {"Event, counted from the block's first", ""};
  chart.y.quantity = {"Change of allocated memory", unit.name};
  chart.y.format = ",~r";
  chart.curves = {curve_of(points, unit)};
  chart.bands = bands_of(points);
  chart.height = 190;
  chart.label_room = 12;
  return chart;
}

TableView points_table(const std::vector<std::pair<std::string, std::vector<Point>>>& phases) {
  TableView table{"block-points",
                  "Points of the figure, thinned",
                  {{"Pass", "", Align::kLeft},
                   {"Event", "", Align::kRight},
                   {"Module", "", Align::kLeft},
                   {"Allocated", "MiB", Align::kRight}},
                  {}};
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  for (const auto& [phase, points] : phases) {
    const std::size_t stride = points.size() / kListedPoints + 1;
    for (std::size_t i = 0; i < points.size(); i += stride) {
      table.rows.push_back({{text_cell(phase), count_cell(points[i].event),
                             text_cell(points[i].module), bytes_cell(points[i].bytes, unit)},
                            {},
                            ""});
    }
  }
  return table;
}

}  // namespace

std::optional<Figure> block_figure(const Profile& profile, const Step& step) {
  std::vector<CurveChart> panels;
  std::vector<std::pair<std::string, std::vector<Point>>> phases;
  for (const auto& [phase, title] : {std::pair(metric::kForward, "The block's forward"),
                                     std::pair(metric::kBackward, "The block's backward")}) {
    const std::vector<Point> points = points_of(*step.launch, phase);
    if (points.size() < 2) continue;
    panels.push_back(panel(points, title));
    phases.emplace_back(phase, points);
  }
  if (panels.empty()) return std::nullopt;
  return Figure{.slug = slug("memory-block-" + profile.words),
                .title = "Memory over one block, " + profile.words,
                .caption =
                    "Allocated bytes of the second block, counted from its first event in "
                    "each pass; bands are its modules.",
                .alt =
                    "Two curves of memory over the allocator's events: one block's forward and "
                    "its backward. The table below holds points of them.",
                .spec = curve_panels(panels),
                .data = points_table(phases),
                .family = "One block",
                .variant = profile.words};
}

}  // namespace labreport::memory_profiling
