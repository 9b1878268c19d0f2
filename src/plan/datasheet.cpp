#include "plan/datasheet.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/format.h"
#include "base/text.h"

namespace labreport {
namespace {

/// A row holds for the GPUs whose names have its words, see `find_row`. A number is 0 if it is
/// unknown, depends on the variant, or is the rate of a precision that the device does not offer.
struct DatasheetRow {
  std::string_view words;  ///< The first row whose words a name has counts.
  DatasheetGpu gpu;
  std::array<double, 4> tflops;  ///< Dense rates in the order of `Precision`.
  double memory_gb_per_s;
};

constexpr std::array<double, 4> kHopper{67, 494.5, 989.5, 989.5}, kAmpere{19.5, 156, 312, 312};
constexpr std::array<double, 4> kVolta{15.7, 0, 0, 125};

constexpr DatasheetRow kRows[]{
    {"MIG", {"", 0, 0, 0}, {0, 0, 0, 0}, 0},
    {"B200", {"NVIDIA B200", 180, 10, 0}, {75, 1125, 2250, 2250}, 8000},
    {"H200", {"NVIDIA H200", 141, 9, 0}, kHopper, 4800},
    {"H100 PCIe", {"NVIDIA H100 PCIe", 80, 9, 0}, {51, 378, 756.5, 756.5}, 2000},
    {"H100 NVL", {"NVIDIA H100 NVL", 94, 9, 0}, {60, 417.5, 835.5, 835.5}, 3900},
    {"H100", {"NVIDIA H100", 80, 9, 0}, kHopper, 3350},
    {"A100 40GB", {"NVIDIA A100 40GB", 40, 8, 0}, kAmpere, 1555},
    {"A100 SXM4 40GB", {"NVIDIA A100 40GB", 40, 8, 0}, kAmpere, 1555},
    {"A100 PCIe 40GB", {"NVIDIA A100 40GB", 40, 8, 0}, kAmpere, 1555},
    {"A100 SXM4 80GB", {"NVIDIA A100 80GB", 80, 8, 0}, kAmpere, 2039},
    {"A100", {"NVIDIA A100 80GB", 80, 8, 0}, kAmpere, 0},
    {"L40S", {"NVIDIA L40S", 48, 8, 9}, {91.6, 183, 366, 366}, 864},
    {"L4", {"NVIDIA L4", 24, 8, 9}, {30.3, 60, 121, 121}, 300},
    {"V100 SXM2 16GB", {"NVIDIA V100 SXM2 16GB", 16, 7, 0}, kVolta, 900},
    {"V100 SXM2", {"NVIDIA V100 SXM2 32GB", 32, 7, 0}, kVolta, 900},
    {"T4", {"NVIDIA T4", 16, 7, 5}, {8.1, 0, 0, 65}, 0}};

struct LinkRow {
  std::string_view words;  ///< As in `DatasheetRow`.
  std::string_view link;   ///< Empty if it depends on the machine.
  double both_ways_gb_per_s;
};

constexpr LinkRow kLinks[]{
    {"MIG", "", 0},          {"B200", "NVLink", 1800},     {"H200 NVL", "", 0},
    {"H200", "NVLink", 900}, {"H100 PCIe", "", 0},         {"H100 NVL", "", 0},
    {"H100", "NVLink", 900}, {"A100 SXM4", "NVLink", 600}, {"V100 SXM2", "NVLink", 300},
    {"L40S", "PCIe", 64},    {"L4", "PCIe", 64},           {"T4", "PCIe", 32}};

/// Returns the first row whose words stand in the device's name one after another, whatever their
/// case and what is between them; null if there is none. "A1000" and "L40" are other words than
/// "A100" and "L4".
template <typename Row, std::size_t N>
const Row* find_row(const Row (&rows)[N], std::string_view device) {
  const std::string name = "-" + slug(device) + "-";
  const auto found = std::ranges::find_if(
      rows, [&](const Row& row) { return name.find("-" + slug(row.words) + "-") != name.npos; });
  return found == std::end(rows) ? nullptr : &*found;
}

}  // namespace

std::vector<DatasheetGpu> datasheet_gpus() {
  std::vector<DatasheetGpu> gpus;
  for (const DatasheetRow& row : kRows) {
    const bool is_known = std::ranges::find(gpus, row.gpu.name, &DatasheetGpu::name) != gpus.end();
    if (!row.gpu.name.empty() && !is_known) gpus.push_back(row.gpu);
  }
  std::ranges::stable_sort(gpus, {}, &DatasheetGpu::gigabytes);
  return gpus;
}

std::optional<DatasheetGpu> datasheet_gpu(std::string_view device) {
  const DatasheetRow* row = find_row(kRows, device);
  return row == nullptr || row->gpu.name.empty() ? std::nullopt : std::optional(row->gpu);
}

std::optional<double> datasheet_peak(std::string_view device, Precision precision) {
  const DatasheetRow* row = find_row(kRows, device);
  const double tflops = row == nullptr ? 0 : row->tflops[static_cast<std::size_t>(precision)];
  return tflops == 0 ? std::nullopt : std::optional(tflops * 1e12);
}

std::optional<double> datasheet_memory(std::string_view device) {
  const auto gpu = datasheet_gpu(device);
  return gpu ? std::optional(gpu->gigabytes * kBytesPerGibibyte) : std::nullopt;
}

std::optional<double> datasheet_bandwidth(std::string_view device) {
  const DatasheetRow* row = find_row(kRows, device);
  if (row == nullptr || row->memory_gb_per_s == 0) return std::nullopt;
  return row->memory_gb_per_s * 1e9;
}

std::optional<DatasheetLink> datasheet_link(std::string_view device) {
  const LinkRow* row = find_row(kLinks, device);
  if (row == nullptr || row->link.empty()) return std::nullopt;
  return DatasheetLink{row->link, row->both_ways_gb_per_s / 2 * 1e9};
}

}  // namespace labreport
