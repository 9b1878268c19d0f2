// Attained rates under the device's two roofs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace labreport::nsys_profile {

struct RooflinePoint {
  std::string label;
  double intensity = 0;  ///< FLOP/B
  double rate = 0;       ///< FLOP/s
};

struct Roofline {
  double bandwidth = 0;    ///< B/s
  double matrix_rate = 0;  ///< FLOP/s
  std::string precision;   ///< Of the matrix rate: "FP32"
  std::vector<RooflinePoint> points;
};

nlohmann::json roofline_chart(const Roofline& roofline);

}  // namespace labreport::nsys_profile
