#include "experiments/common/legend.h"

#include <algorithm>

#include "document/charts/charts.h"

namespace labreport {

void add_once(std::vector<std::string>& labels, const std::string& label) {
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
}

nlohmann::json legend_colour(const char* field, const std::vector<std::string>& labels,
                             const LegendLayout& layout) {
  nlohmann::json channel = colour_channel(field, labels);
  channel["legend"] = {{"orient", "top"},          {"title", nullptr},
                       {"symbolType", "square"},   {"columns", layout.columns},
                       {"labelColor", ink::kText}, {"offset", layout.offset}};
  return channel;
}

}  // namespace labreport
