#include "experiments/overview/datasheet.h"

#include <algorithm>
#include <iterator>

namespace labreport::overview {
namespace {

/// Dense rates in TFLOP/s; 0 if the device does not offer the precision.
struct DatasheetRates {
  std::string_view device;  ///< Text in the device's name; the first row that matches counts.
  double fp32, tf32, bf16, fp16;
};

constexpr DatasheetRates kRates[]{{"H200", 67, 494.5, 989.5, 989.5},
                                  {"H100 PCIe", 51, 378, 756.5, 756.5},
                                  {"H100 NVL", 60, 417.5, 835.5, 835.5},
                                  {"H100", 67, 494.5, 989.5, 989.5},
                                  {"A100", 19.5, 156, 312, 312},
                                  {"L40S", 91.6, 183, 366, 366},
                                  {"L4", 30.3, 60, 121, 121},
                                  {"V100-SXM2", 15.7, 0, 0, 125},
                                  {"T4", 8.1, 0, 0, 65}};

double DatasheetRates::* rate_of(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return &DatasheetRates::fp32;
    case Precision::kTf32:
      return &DatasheetRates::tf32;
    case Precision::kBf16:
      return &DatasheetRates::bf16;
    case Precision::kFp16:
      return &DatasheetRates::fp16;
  }
  return &DatasheetRates::fp32;
}

}  // namespace

std::optional<double> datasheet_peak(std::string_view device, Precision precision) {
  if (device.find(" MIG ") != device.npos) return std::nullopt;  // The device is a slice of a GPU.
  const auto rates = std::ranges::find_if(kRates, [device](const DatasheetRates& row) {
    return device.find(row.device) != std::string_view::npos;
  });
  if (rates == std::end(kRates) || (*rates).*rate_of(precision) == 0) return std::nullopt;
  return (*rates).*rate_of(precision) * 1e12;
}

}  // namespace labreport::overview
