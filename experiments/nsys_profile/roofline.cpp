#include "experiments/nsys_profile/roofline.h"

#include <algorithm>

#include "base/format.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kOneTera = 1e12;
constexpr double kOneGiga = 1e9;

const std::vector<Column<RooflinePoint>> kRooflineColumns{
    {"part", "Part", [](const RooflinePoint& row) { return row.work.name; }},
    {"precision", "Precision", &RooflinePoint::precision},
    {"ms", "Time", [](const RooflinePoint& row) { return row.work.ms; }, "ms"},
    {"flops", "FLOPs", [](const RooflinePoint& row) { return row.work.flops / kOneGiga; }, "GFLOP",
     kThreeDigits},
    {"bytes", "Bytes", [](const RooflinePoint& row) { return row.work.bytes / kBytesPerGibibyte; },
     "GiB", kThreeDigits},
    {"intensity", "Intensity", &RooflinePoint::intensity, "FLOP/B", kThreeDigits},
    {"rate", "Rate", &RooflinePoint::teraflops_per_second, "TFLOP/s", kThreeDigits}};

const std::vector<Column<RoofCorner>> kRoofColumns{
    {"precision", "Precision", &RoofCorner::precision},
    {"intensity", "Intensity", &RoofCorner::intensity},
    {"rate", "Rate", &RoofCorner::teraflops_per_second},
    {"words", "Limits", &RoofCorner::label}};

const std::vector<Column<DotName>> kNameColumns{
    {"part", "Part", [](const DotName& name) { return name.point->work.name; }},
    {"intensity", "Intensity", [](const DotName& name) { return name.point->intensity(); }},
    {"rate", "Rate", [](const DotName& name) { return name.point->teraflops_per_second(); }},
    {"narrow", "Narrow", [](const DotName& name) { return name.width == ChartWidth::kNarrow; }},
    {"dx", "dx", &DotName::dx},
    {"dy", "dy", &DotName::dy},
    {"align", "Align", &DotName::align}};

/// Returns the roofline min(peak rate, intensity · bandwidth), a little wider than the points.
std::vector<RoofCorner> roof_over(const PeakRates& peaks, const std::vector<TimedWork>& points) {
  double lowest_intensity = peaks.ridge(), highest_intensity = lowest_intensity;
  for (const TimedWork& point : points) {
    lowest_intensity = std::min(lowest_intensity, point.intensity());
    highest_intensity = std::max(highest_intensity, point.intensity());
  }
  const std::string label = peaks.precision + " " +
                            format_significant(peaks.gemm_rate / kOneTera, 3) + " TFLOP/s, " +
                            format_significant(peaks.bandwidth / kOneTera, 3) + " TB/s";
  // The wide range at the left leaves room on a phone for a name left of the first dot.
  const double left = lowest_intensity / 12, right = highest_intensity * 4;
  return {{peaks.precision, left, left * (peaks.bandwidth / kOneTera), ""},
          {peaks.precision, peaks.ridge(), peaks.gemm_rate / kOneTera, label},
          {peaks.precision, right, peaks.gemm_rate / kOneTera, ""}};
}

}  // namespace

PeakRates::PeakRates(const Limits& limits, const KernelProfile& profile)
    : bandwidth(limits.copy_bandwidth.value_or(0)),
      precision(labreport::describe(profile.precision())) {
  const auto peak = limits.peak_gemm_rates.find(profile.precision());
  if (peak != limits.peak_gemm_rates.end()) gemm_rate = peak->second;
}

double RooflinePoint::teraflops_per_second() const { return work.flop_rate() / kOneTera; }

void add_roofline(const Profiles& profiles, PartContent& part) {
  std::vector<RooflinePoint> points;
  std::vector<RoofCorner> corners;
  for (const KernelProfile* drawn : {profiles.in_answers, profiles.in_answers_16_bit}) {
    if (drawn == nullptr) continue;
    const PeakRates peaks(profiles.limits, *drawn);
    std::vector<TimedWork> parts = attention_work(*drawn);
    std::ranges::move(work_outside_attention(*drawn), std::back_inserter(parts));
    std::erase_if(parts, [](const TimedWork& work) {  // Log axes lack 0; scale and mask stay out.
      return work.flop_rate() <= 0 || work.intensity() <= 0 || work.name == stage::kScaleMask;
    });
    if (!peaks.are_known() || parts.empty()) continue;
    for (const TimedWork& work : parts) points.push_back({peaks.precision, work});
    std::ranges::move(roof_over(peaks, parts), std::back_inserter(corners));
  }
  const std::string last_precision = points.empty() ? "" : points.back().precision;
  const bool has_both = !points.empty() && points.front().precision != last_precision;
  part.facts.when("both", has_both, "other", has_both ? last_precision : "");
  std::vector<DotName> names = place_names(points, corners, ChartWidth::kWide);
  std::ranges::move(place_names(points, corners, ChartWidth::kNarrow), std::back_inserter(names));
  part.datasets.push_back(make_dataset("roofline", kRooflineColumns, points));
  part.datasets.push_back(make_dataset("roof", kRoofColumns, corners));
  part.datasets.push_back(make_dataset("roofline-names", kNameColumns, names));
}

}  // namespace labreport::nsys_profile
