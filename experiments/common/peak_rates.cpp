#include "experiments/common/peak_rates.h"

#include "analysis/measures.h"
#include "plan/datasheet.h"

namespace labreport {
namespace {

std::string_view device_name(const RunView& view) {
  return view.device() == nullptr ? std::string_view() : view.device()->name;
}

}  // namespace

bool has_datasheet_peak(const RunView& view) {
  return datasheet_peak(device_name(view), Precision::kFp32).has_value();
}

std::optional<double> peak_flop_rate(const RunView& view, Precision precision) {
  if (const auto peak = datasheet_peak(device_name(view), precision)) return peak;
  const Limits limits = measured_limits(view.run());
  const auto fastest = limits.peak_gemm_rates.find(precision);
  return fastest == limits.peak_gemm_rates.end() ? std::nullopt : std::optional(fastest->second);
}

std::optional<double> peak_bandwidth(const RunView& view) {
  if (const auto bandwidth = datasheet_bandwidth(device_name(view))) return bandwidth;
  return measured_limits(view.run()).copy_bandwidth;
}

std::string peak_words(const RunView& view, Precision precision) {
  const bool has_rate = datasheet_peak(device_name(view), precision).has_value();
  const bool has_bandwidth = datasheet_bandwidth(device_name(view)).has_value();
  if (has_rate != has_bandwidth) return "peak rates";
  return has_rate ? std::string(kDataSheetPeaks) : "measured peaks";
}

}  // namespace labreport
