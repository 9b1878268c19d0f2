// Knows what NVIDIA's data sheets say about a GPU: its GEMM peaks, its memory and its links.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A GPU that need not be here.
struct DatasheetGpu {
  std::string_view name;  ///< "NVIDIA H200"
  double gigabytes;       ///< Its memory; the largest variant's if the name tells none.
  int compute_major, compute_minor;

  /// Returns the bytes that one can count on. Drivers report 1 to 8 % less than 2³⁰ bytes for a GB
  /// of a sheet, so it counts as 10⁹.
  std::int64_t memory_bytes() const { return static_cast<std::int64_t>(gigabytes * 1e9); }
};

/// Lists the GPUs whose sheets are known, least memory first.
std::vector<DatasheetGpu> datasheet_gpus();

/// Returns the GPU that a name means, as a driver writes it or in part: "NVIDIA A100-SXM4-40GB",
/// "a100 40gb". Nothing for an unlisted device and for a slice of a GPU (MIG).
std::optional<DatasheetGpu> datasheet_gpu(std::string_view device);

/// Returns the peak rate of dense matrix products in FLOP/s; FP32 without TF32 runs on CUDA cores.
/// Returns nothing for an unlisted device or precision and for a slice of a GPU (MIG).
///
/// The sources are all by NVIDIA: DGX B200 Datasheet (2024), divided by its eight GPUs, and for
/// FP32 HGX Platform (2024); H200 Tensor Core GPU Datasheet (2024); H100 Tensor Core GPU Datasheet
/// (2023); A100 Tensor Core GPU Datasheet (2021); L40S and L4 Datasheets (2023); V100 and T4 Tensor
/// Core GPU Datasheets (2020, 2019). Rates that a sheet gives with sparsity are halved.
std::optional<double> datasheet_peak(std::string_view device, Precision precision);

/// Returns the bytes of the device's memory, from the same sheets: the largest variant's if the
/// name tells none. A GB of a sheet counts as 2³⁰ bytes, which is at least what the device has.
std::optional<double> datasheet_memory(std::string_view device);

/// Returns the bandwidth of the device's memory in bytes per second, from the same sheets. Nothing
/// if the name does not tell which of several variants it is.
std::optional<double> datasheet_bandwidth(std::string_view device);

struct DatasheetLink {
  std::string_view name;    ///< "NVLink"; "PCIe" if the GPU has no NVLink
  double bytes_per_second;  ///< The rate in one direction, half of the sheet's sum of both.
};

/// Returns nothing if the device is unknown or its link depends on the machine, as with a bridge.
///
/// The sources are all by NVIDIA, in GB/s of both directions: H200 and H100 Tensor Core GPU
/// Datasheets (2024, 2023): 900; A100 Tensor Core GPU Datasheet (2021): 600; V100 Tensor Core GPU
/// Datasheet (2020): 300; L40S and L4 Datasheets (2023): PCIe 4 × 16, 64; T4 Tensor Core GPU
/// Datasheet (2019): PCIe 3 × 16, 32.
std::optional<DatasheetLink> datasheet_link(std::string_view device);

}  // namespace labreport
