#include "experiments/memory_profiling/timeline_notes.h"

#include <algorithm>

#include "base/format.h"
#include "document/charts/curve_marks.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kThick = 0.07;  // Of the axis: an area that a word fits into.
constexpr double kAside = 0.09;  // Of the width: half of a word.
constexpr double kNear = 0.75;   // Of the capacity: a curve that comes so near shows it.
constexpr double kHeadroom = 1.08;
constexpr double kClose = 0.03;  // Of the width: marks would lie on each other.
constexpr int kMarkHeight = 19;

bool near_capacity(const TimelineChart& chart) {
  return chart.capacity > 0 &&
         (!chart.end_words.empty() || chart.timeline.peak().requested() > kNear * chart.capacity);
}

nlohmann::json text_layer(nlohmann::json rows, const nlohmann::json& x, const nlohmann::json& y,
                          const nlohmann::json& more) {
  nlohmann::json mark{{"type", "text"}};
  mark.update(more);
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", mark},
          {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}};
}

/// The least thickness of a category around `event`: a word must not stand on a spike.
double thickness(const Timeline& timeline, std::size_t category, double event, double aside) {
  double least = timeline.peak().requested();
  for (const Instant& instant : timeline.instants) {
    if (std::abs(instant.event - event) <= aside) least = std::min(least, instant.bytes[category]);
  }
  return least;
}

double below(const Instant& instant, std::size_t category) {
  double sum = 0;
  for (std::size_t c = 0; c < category; ++c) sum += instant.bytes[c];
  return sum;
}

/// A category's name where it lies thickest.
nlohmann::json name_rows(const TimelineChart& chart, const ChartFrame& frame) {
  nlohmann::json rows = nlohmann::json::array();
  const double aside = kAside * frame.last;
  for (std::size_t c = 0; c < categories().size(); ++c) {
    const Instant* best = nullptr;
    double most = kThick * frame.highest * frame.unit.bytes;
    for (const Instant& instant : chart.timeline.instants) {
      if (instant.event < aside || instant.event > frame.last - aside) continue;
      if (instant.bytes[c] < most) continue;
      const double thick = thickness(chart.timeline, c, instant.event, aside);
      if (thick > most) most = thick, best = &instant;
    }
    if (best == nullptr) continue;
    rows.push_back({{"event", best->event},
                    {"sum", rounded((below(*best, c) + most / 2) / frame.unit.bytes)},
                    {"text", categories()[c].words}});
  }
  return rows;
}

nlohmann::json peak_layer(const TimelineChart& chart, const ChartFrame& frame,
                          const nlohmann::json& x, const nlohmann::json& y) {
  const Instant& peak = chart.timeline.peak();
  const bool right = peak.event > 0.6 * frame.last;
  const nlohmann::json rows = {{{"event", peak.event},
                                {"sum", rounded(peak.requested() / frame.unit.bytes)},
                                {"text", chart.peak_words}}};
  nlohmann::json words = text_layer(rows, x, y,
                                    {{"align", right ? "right" : "left"},
                                     {"dx", right ? -6 : 6},
                                     {"dy", -9},
                                     {"fontWeight", 600}});
  const nlohmann::json dot = {{"data", {{"values", rows}}},
                              {"mark", {{"type", "point"}, {"size", 36}, {"color", ink::kText}}},
                              {"encoding", {{"x", x}, {"y", y}}}};
  return {dot, words};
}

const Instant& at_event(const Timeline& timeline, double event) {
  const auto found = std::ranges::lower_bound(timeline.instants, event, {}, &Instant::event);
  return found == timeline.instants.end() ? timeline.instants.back() : *found;
}

/// Below the curve; marks close together stand one below the other.
nlohmann::json mark_rows(const TimelineChart& chart, const ChartFrame& frame) {
  nlohmann::json rows = nlohmann::json::array();
  double before = -frame.last;
  int below = 0;
  for (const Mark& mark : chart.marks) {
    const Instant& instant = at_event(chart.timeline, mark.event);
    below =
        instant.event - before < kClose * frame.last ? below + kMarkHeight : kMarkHeight / 2 + 2;
    before = instant.event;
    rows.push_back({{"event", instant.event},
                    {"sum", rounded(instant.requested() / frame.unit.bytes)},
                    {"below", below},
                    {"text", std::to_string(mark.number)}});
  }
  return rows;
}

nlohmann::json mark_layers(const TimelineChart& chart, const ChartFrame& frame,
                           const nlohmann::json& x, const nlohmann::json& y) {
  const nlohmann::json rows = mark_rows(chart, frame);
  const nlohmann::json below = {{"expr", "datum.below"}};
  const nlohmann::json dots = {{"data", {{"values", rows}}},
                               {"mark",
                                {{"type", "point"},
                                 {"size", 190},
                                 {"color", ink::kPaper},
                                 {"stroke", ink::kText},
                                 {"strokeWidth", 1},
                                 {"yOffset", below}}},
                               {"encoding", {{"x", x}, {"y", y}}}};
  return {dots, text_layer(rows, x, y, {{"yOffset", below}, {"fontSize", 11}})};
}

nlohmann::json capacity_layers(const TimelineChart& chart, const ChartFrame& frame,
                               const nlohmann::json& y) {
  const nlohmann::json rows = {{{"sum", rounded(chart.capacity / frame.unit.bytes)},
                                {"text", "the device has " + format_bytes(chart.capacity)}}};
  const nlohmann::json data = {{"values", rows}};
  return {{{"data", data},
           {"mark", {{"type", "rule"}, {"color", ink::kAxis}, {"strokeDash", {6, 3}}}},
           {"encoding", {{"y", y}}}},
          {{"name", kWideOnly + std::string("-capacity")},
           {"data", data},
           {"mark",
            {{"type", "text"}, {"align", "left"}, {"dx", 6}, {"dy", -7}, {"color", ink::kMuted}}},
           {"encoding", {{"x", {{"value", 0}}}, {"y", y}, {"text", {{"field", "text"}}}}}}};
}

nlohmann::json end_layer(const TimelineChart& chart, const ChartFrame& frame,
                         const nlohmann::json& x, const nlohmann::json& y) {
  const nlohmann::json rows = {
      {{"event", frame.last},
       {"sum", rounded(chart.timeline.instants.back().requested() / frame.unit.bytes)},
       {"text", chart.end_words}}};
  return {text_layer(rows, x, y,
                     {{"align", "right"}, {"dx", -6}, {"dy", -24}, {"fontStyle", "italic"}})};
}

}  // namespace

ChartFrame frame_of(const TimelineChart& chart) {
  double most = chart.timeline.peak().requested();
  if (near_capacity(chart)) most = std::max(most, chart.capacity);
  const ByteUnit unit = byte_unit(most);
  return {unit, std::max(chart.timeline.instants.back().event, 1.0), kHeadroom * most / unit.bytes};
}

nlohmann::json phase_bands(const Timeline& timeline, const nlohmann::json& x) {
  std::vector<Band> bands;
  const std::vector<Stretch> phases = timeline.phases();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Instant* end = i + 1 < phases.size() ? phases[i + 1].first : phases[i].last;
    bands.push_back({phases[i].first->event, end->event, phases[i].phase});
  }
  return band_layers(bands, x);
}

nlohmann::json category_names(const TimelineChart& chart, const ChartFrame& frame,
                              const nlohmann::json& x, const nlohmann::json& y) {
  nlohmann::json names = text_layer(name_rows(chart, frame), x, y, {{"color", ink::kPaper}});
  names["name"] = kWideOnly + std::string("-names");
  return names;
}

nlohmann::json notes(const TimelineChart& chart, const ChartFrame& frame) {
  const nlohmann::json x = plain_axis("event", "", "", frame.last);
  const nlohmann::json y = memory_axis("sum", frame.unit, frame.highest);
  nlohmann::json layers = nlohmann::json::array();
  const auto add = [&layers](nlohmann::json more) {
    for (nlohmann::json& layer : more) layers.push_back(std::move(layer));
  };
  if (near_capacity(chart)) add(capacity_layers(chart, frame, y));
  add(peak_layer(chart, frame, x, y));
  if (!chart.marks.empty()) add(mark_layers(chart, frame, x, y));
  if (!chart.end_words.empty()) add(end_layer(chart, frame, x, y));
  return layers;
}

}  // namespace labreport::memory_profiling
