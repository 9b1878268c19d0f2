#include "experiments/overview/datasheet.h"

#include <algorithm>
#include <iterator>

namespace labreport::overview {
namespace {

/// Dense rates in TFLOP/s; 0 if the device does not offer the precision.
struct Peaks {
  std::string_view device;  ///< The first row whose text is in the device's name counts.
  double fp32, tf32, bf16, fp16;
};

constexpr Peaks kPeaks[]{{"H200", 67, 494.5, 989.5, 989.5},
                         {"H100 PCIe", 51, 378, 756.5, 756.5},
                         {"H100 NVL", 60, 417.5, 835.5, 835.5},
                         {"H100", 67, 494.5, 989.5, 989.5},
                         {"A100", 19.5, 156, 312, 312},
                         {"L40S", 91.6, 183, 366, 366},
                         {"L4", 30.3, 60, 121, 121},
                         {"V100-SXM2", 15.7, 0, 0, 125},
                         {"T4", 8.1, 0, 0, 65}};

double Peaks::* of(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return &Peaks::fp32;
    case Precision::kTf32:
      return &Peaks::tf32;
    case Precision::kBf16:
      return &Peaks::bf16;
    case Precision::kFp16:
      return &Peaks::fp16;
  }
  return &Peaks::fp32;
}

}  // namespace

std::optional<double> datasheet_peak(std::string_view device, Precision precision) {
  if (device.find(" MIG ") != device.npos) return std::nullopt;  // The device is a slice of a GPU.
  const auto peaks = std::ranges::find_if(kPeaks, [device](const Peaks& one) {
    return device.find(one.device) != std::string_view::npos;
  });
  if (peaks == std::end(kPeaks) || (*peaks).*of(precision) == 0) return std::nullopt;
  return (*peaks).*of(precision) * 1e12;
}

}  // namespace labreport::overview
