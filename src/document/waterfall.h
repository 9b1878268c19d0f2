// A waterfall is a chart of how one time becomes another: each bar adds or saves a part.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"

namespace labreport {

/// A bar between two times.
struct WaterfallBar {
  std::string row;
  std::string part;  ///< "step", "slower" or "saved", which tells the bar's color.
  double from_ms, to_ms;
  std::string text;  ///< Text beside the row's last bar.
};

/// Returns the dataset "waterfall" for the figure file of that name, which sections share.
Dataset waterfall_data(const std::vector<WaterfallBar>& bars);

}  // namespace labreport
