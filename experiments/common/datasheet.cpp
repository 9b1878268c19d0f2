#include "experiments/common/datasheet.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/format.h"

namespace labreport {
namespace {

/// Dense rates; 0 if the device does not offer the precision.
struct DatasheetRates {
  std::string_view device;       ///< Text in the device's name; the first row that matches counts.
  std::array<double, 4> tflops;  ///< In the order of `Precision`.
  double memory_gib;             ///< The largest variant's; 0 if there is none.
  double memory_gb_per_s;        ///< 0 if it is unknown or depends on the variant.
};

constexpr DatasheetRates kRates[]{{" MIG ", {0, 0, 0, 0}, 0, 0},
                                  {"H200", {67, 494.5, 989.5, 989.5}, 141, 4800},
                                  {"H100 PCIe", {51, 378, 756.5, 756.5}, 80, 2000},
                                  {"H100 NVL", {60, 417.5, 835.5, 835.5}, 94, 3900},
                                  {"H100", {67, 494.5, 989.5, 989.5}, 80, 3350},
                                  {"A100 40GB", {19.5, 156, 312, 312}, 40, 1555},
                                  {"A100-SXM4-40GB", {19.5, 156, 312, 312}, 40, 1555},
                                  {"A100-PCIE-40GB", {19.5, 156, 312, 312}, 40, 1555},
                                  {"A100-SXM4-80GB", {19.5, 156, 312, 312}, 80, 2039},
                                  {"A100", {19.5, 156, 312, 312}, 80, 0},
                                  {"L40S", {91.6, 183, 366, 366}, 48, 864},
                                  {"L4", {30.3, 60, 121, 121}, 24, 300},
                                  {"V100-SXM2", {15.7, 0, 0, 125}, 32, 900},
                                  {"T4", {8.1, 0, 0, 65}, 16, 0}};

struct LinkRow {
  std::string_view device;  ///< As in `DatasheetRates`.
  std::string_view link;    ///< Empty if it depends on the machine.
  double both_ways_gb_per_s;
};

constexpr LinkRow kLinks[]{{" MIG ", "", 0},
                           {"H200 NVL", "", 0},
                           {"H200", "NVLink", 900},
                           {"H100 PCIe", "", 0},
                           {"H100 NVL", "", 0},
                           {"H100", "NVLink", 900},
                           {"A100-SXM", "NVLink", 600},
                           {"V100-SXM2", "NVLink", 300},
                           {"L40S", "PCIe", 64},
                           {"L4", "PCIe", 64},
                           {"T4", "PCIe", 32}};

/// Returns the row of the device; null if there is none.
template <typename Row, std::size_t N>
const Row* find_device(const Row (&rows)[N], std::string_view device) {
  const auto found = std::ranges::find_if(
      rows, [device](const Row& row) { return device.find(row.device) != device.npos; });
  return found == std::end(rows) ? nullptr : &*found;
}

}  // namespace

std::optional<double> datasheet_peak(std::string_view device, Precision precision) {
  const DatasheetRates* rates = find_device(kRates, device);
  const double tflops = rates == nullptr ? 0 : rates->tflops[static_cast<std::size_t>(precision)];
  return tflops == 0 ? std::nullopt : std::optional(tflops * 1e12);
}

std::optional<double> datasheet_memory(std::string_view device) {
  const DatasheetRates* rates = find_device(kRates, device);
  if (rates == nullptr || rates->memory_gib == 0) return std::nullopt;
  return rates->memory_gib * kBytesPerGibibyte;
}

std::optional<double> datasheet_bandwidth(std::string_view device) {
  const DatasheetRates* rates = find_device(kRates, device);
  if (rates == nullptr || rates->memory_gb_per_s == 0) return std::nullopt;
  return rates->memory_gb_per_s * 1e9;
}

std::optional<DatasheetLink> datasheet_link(std::string_view device) {
  const LinkRow* row = find_device(kLinks, device);
  if (row == nullptr || row->link.empty()) return std::nullopt;
  return DatasheetLink{row->link, row->both_ways_gb_per_s / 2 * 1e9};
}

}  // namespace labreport
