// Two values of one thing, joined: before and after.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "document/charts/chart_forms.h"

namespace labreport {

/// One lane of a group: its values by series, and words at the right end of the line that joins
/// them.
struct Joined {
  std::string group;  ///< "2.7B"
  std::string lane;   ///< "backward"
  std::vector<std::pair<std::string, double>> values;
  std::string text;  ///< "3.81 ×"
};

/// On a log axis, a row a group, a lane within it for each of `lanes`. The first group names its
/// series.
nlohmann::json joined_chart(const Quantity& quantity, const std::vector<std::string>& groups,
                            const std::vector<std::string>& lanes,
                            const std::vector<std::string>& series, const std::vector<Joined>& rows,
                            const std::vector<Gap>& gaps);

}  // namespace labreport
