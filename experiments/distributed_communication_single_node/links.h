// Gives the nominal bandwidth of the links between GPUs, from data sheets.
#pragma once

#include <optional>
#include <string_view>

namespace labreport::distributed_communication_single_node {

/// Bytes a second that leave one GPU over NVLink, or over PCI Express if a device has no NVLink:
/// half of the data sheet's number, which is the sum of both directions. Nothing if the link
/// depends on the machine, as for GPUs that may have a bridge.
///
/// Sources, all by NVIDIA: H200 and H100 Tensor Core GPU Datasheets (2024, 2023): 900 GB/s; A100
/// Tensor Core GPU Datasheet (2021): 600; V100 Tensor Core GPU Datasheet (2020): 300; L40S and L4
/// Datasheets (2023): PCIe 4 × 16, 64; T4 Tensor Core GPU Datasheet (2019): PCIe 3 × 16, 32.
struct Link {
  std::string_view name;  ///< "NVLink"
  double bytes_per_second;
};
std::optional<Link> nominal_link(std::string_view device);

}  // namespace labreport::distributed_communication_single_node
