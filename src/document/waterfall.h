// A waterfall shows a whole, what each part adds or saves, and what is left.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"

namespace labreport {

/// A bar between two times in ms. Its part ("step", "slower", "saved") has a color.
struct WaterfallBar {
  std::string row, part;
  double from, to;
  std::string text;  ///< Text beside the row's last bar.
};

/// A dataset "waterfall" for the figure file of that name, which sections share.
Dataset waterfall_data(const std::vector<WaterfallBar>& bars);

}  // namespace labreport
