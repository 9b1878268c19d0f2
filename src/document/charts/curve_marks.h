// What stands around curves: their names at the right end, and bands with words above.
#pragma once

#include <limits>

#include "document/charts/curve_chart.h"

namespace labreport {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void widen(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// On a log axis only positive numbers can be drawn.
bool drawable(const CurveAxis& axis, double value);

/// One row a curve, at the right end of `x`, moved apart where curves end close together.
nlohmann::json label_rows(const CurveChart& chart, const Extent& x, const Extent& y,
                          int plot_height);

/// Rectangles over the x axis and their words, which a phone has no room for.
nlohmann::json band_layers(const std::vector<Band>& bands, const nlohmann::json& x);

}  // namespace labreport
