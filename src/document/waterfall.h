// A waterfall shows a whole, what each part adds or saves, and what is left.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"

namespace labreport {

/// Times in ms.
struct WaterfallBar {
  std::string row, part;
  double from, to;
  std::string text;  ///< Text beside the row's last bar.
};

/// The data of the shared figure "waterfall", under that name.
Dataset waterfall_data(const std::vector<WaterfallBar>& bars);

}  // namespace labreport
