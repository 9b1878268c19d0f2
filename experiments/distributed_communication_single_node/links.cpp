#include "experiments/distributed_communication_single_node/links.h"

#include <algorithm>
#include <iterator>

namespace labreport::distributed_communication_single_node {
namespace {

struct DatasheetLink {
  std::string_view device;  ///< Text in the device's name; the first row that matches counts.
  std::string_view link;    ///< Empty if it depends on the machine.
  double both_ways_gb_per_s;
};

constexpr DatasheetLink kDatasheetLinks[]{{" MIG ", "", 0},
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

}  // namespace

std::optional<Link> nominal_link(std::string_view device) {
  const auto found = std::ranges::find_if(kDatasheetLinks, [device](const DatasheetLink& sheet) {
    return device.find(sheet.device) != std::string_view::npos;
  });
  if (found == std::end(kDatasheetLinks) || found->link.empty()) return std::nullopt;
  return Link{found->link, found->both_ways_gb_per_s / 2 * 1e9};
}

}  // namespace labreport::distributed_communication_single_node
