// Curves over a number, named at their right end.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/charts/chart_forms.h"

namespace labreport {

struct Curve {
  std::string label;
  std::vector<std::pair<double, double>> points;  ///< By growing x; a log axis drops values ≤ 0.
};

/// A stretch of the x axis that words above it explain.
struct Band {
  double from = 0;
  double to = 0;
  std::string text;
};

struct CurveAxis {
  Quantity quantity;
  bool log = false;
  std::vector<double> ticks;                        ///< Empty: the chart's own choice.
  std::vector<std::string> tick_labels;             ///< One a tick, in place of its number.
  std::optional<std::pair<double, double>> domain;  ///< Absent: what the curves reach.
  std::string format;  ///< Of tick labels, in d3's notation; empty: "1, 2, 5" numbers.
};

/// Ticks at each power of ten from 10^`low` to 10^`high`, labelled as powers below 0.01.
void tick_decades(CurveAxis& axis, int low, int high);

struct CurveChart {
  CurveAxis x;
  CurveAxis y;
  std::vector<Curve> curves;
  std::vector<Band> bands;
  std::string title;  ///< Above the plot; may be empty.
  bool dots = false;  ///< Each point shown, for few of them.
  int height = 330;
  int label_room = 96;  ///< Pixels right of the plot for the labels.
};

/// Colour and dash tell curves apart.
nlohmann::json curve_chart(const CurveChart& chart);

/// Several charts over the same x, one above the other; each chart's height is its plot's.
nlohmann::json curve_panels(const std::vector<CurveChart>& charts);

}  // namespace labreport
