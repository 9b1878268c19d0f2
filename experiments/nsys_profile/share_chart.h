// What a whole is made of: stacked bars, and bars on a time axis.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace labreport::nsys_profile {

/// A part of one bar; parts lie in the order in which they come.
struct Share {
  std::string group;
  std::string part;
  double share = 0;  ///< In [0, 1]
};

/// A bar a group, its parts named in a legend above.
nlohmann::json share_chart(const std::vector<Share>& shares);

/// Something that took from `start` to `end`, in µs.
struct Stretch {
  std::string lane;
  std::string kind;  ///< What the colour says.
  std::string text;  ///< On pointing at it.
  double start = 0;
  double end = 0;
};

/// A lane a row, in the order in which they come.
nlohmann::json time_axis_chart(const std::vector<Stretch>& stretches);

}  // namespace labreport::nsys_profile
