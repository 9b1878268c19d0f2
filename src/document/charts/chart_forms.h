// Chart forms that several experiments draw: data in, Vega-Lite spec out. Each works at both
// widths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace labreport {

/// What is measured, for axis titles and tooltips.
struct Quantity {
  std::string title;
  std::string unit;
};

/// One dot: a row's series, its value, the text beside it and the samples behind it.
struct Dot {
  std::string group;   ///< The row: "2.7B".
  std::string series;  ///< "backward".
  double value = 0;
  std::string text;  ///< "233.4 ± 0.3"
  std::vector<double> samples;
};

/// A row, or a part of one, without a dot, and why: "out of memory in backward".
struct Gap {
  std::string group;
  std::string reason;
};

/// Dots on a log axis, a row a group, a lane a series, every sample as a tick. The first group
/// names its series beside their dots, so there is no legend.
nlohmann::json dot_chart(const Quantity& quantity, const std::vector<std::string>& groups,
                         const std::vector<std::string>& series, const std::vector<Dot>& dots,
                         const std::vector<Gap>& gaps);

struct Line {
  std::string label;
  std::vector<double> values;  ///< At x = 1, 2, …
};

/// Words at a place in the chart, the place marked by nothing else.
struct Note {
  double x = 0;
  double y = 0;
  std::string text;
};

/// Lines over step numbers with every point shown, named at their right end; the values on a log
/// axis. Steps up to `shaded` lie on a band that `shade_text` names.
struct StepChart {
  Quantity quantity;
  std::vector<Line> lines;
  std::vector<Note> notes;
  int shaded = 0;
  std::string shade_text;
};
nlohmann::json step_chart(const StepChart& chart);

struct Strip {
  std::string label;
  std::vector<double> samples;
};

/// Every sample of each row as a tick: its distance from the row's mean in per cent.
nlohmann::json strip_chart(const std::vector<Strip>& strips);

}  // namespace labreport
