// Builds the datasets of the roofline, which shows the network's parts under the device's limits.
#pragma once

#include <string>
#include <vector>

#include "analysis/measures.h"
#include "document/charts/charts.h"
#include "document/section.h"
#include "document/view.h"
#include "experiments/nsys_profile/model_parts.h"

namespace labreport::nsys_profile {

/// Peak rates that the run measured on the device; 0 if it did not measure them.
struct PeakRates {
  double bandwidth = 0;  ///< B/s, by copying.
  double gemm_rate = 0;  ///< FLOP/s of the fastest GEMM.
  std::string precision;

  PeakRates(const Limits& limits, const KernelProfile& profile);
  bool are_known() const { return bandwidth > 0 && gemm_rate > 0; }
  double ridge() const { return gemm_rate / bandwidth; }  ///< The ridge point, FLOP/B.
};

/// A dot of the figure: a part of the network in one precision.
struct RooflinePoint {
  std::string precision;
  TimedWork work;

  double intensity() const { return work.intensity(); }  ///< FLOP/B
  double teraflops_per_second() const;
};

/// A corner of the roof, the line under which the parts lie.
struct RoofCorner {
  std::string precision;
  double intensity;  ///< FLOP/B
  double teraflops_per_second;
  std::string label;  ///< Names both limits at the ridge point; empty at other corners.
};

/// The name of a part beside its dot, `dx` and `dy` pixels from the dot's middle.
struct DotName {
  const RooflinePoint* point;
  ChartWidth width;
  double dx, dy;
  std::string align;  ///< The side of the words that is at `dx`: "left", "center", "right".
};

/// Places the names of the points in the first precision, so that each stands closer to its own dot
/// than to any other, and neither on another name or dot nor beyond the plot. The numbers in the
/// figure's file decide where the dots are.
std::vector<DotName> place_names(const std::vector<RooflinePoint>& points,
                                 const std::vector<RoofCorner>& roof, ChartWidth width);

/// Adds three datasets: "roofline", the dots; "roof", the lines above them; and "roofline-names".
/// They are empty if the limits are unknown. Adds the fact whether there are `both` precisions.
void add_roofline(const Profiles& profiles, PartContent& part);

}  // namespace labreport::nsys_profile
