// The nominal bandwidth of the links between GPUs, from data sheets.
#pragma once

#include <optional>
#include <string_view>

namespace labreport::distributed_communication_single_node {

struct Link {
  std::string_view name;    ///< "NVLink"; "PCIe" if the GPU has no NVLink
  double bytes_per_second;  ///< The rate in one direction, half of the sheet's sum of both.
};
/// Returns nothing if the device is unknown or its link depends on the machine, as with a bridge.
///
/// The sources are all by NVIDIA, in GB/s of both directions: H200 and H100 Tensor Core GPU
/// Datasheets (2024, 2023): 900; A100 Tensor Core GPU Datasheet (2021): 600; V100 Tensor Core GPU
/// Datasheet (2020): 300; L40S and L4 Datasheets (2023): PCIe 4 × 16, 64; T4 Tensor Core GPU
/// Datasheet (2019): PCIe 3 × 16, 32.
std::optional<Link> nominal_link(std::string_view device);

}  // namespace labreport::distributed_communication_single_node
