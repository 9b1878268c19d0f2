// Knows the GEMM peaks of data sheets. Steps are compared with them and with the measured peak.
#pragma once

#include <optional>
#include <string_view>

#include "results/cell.h"

namespace labreport::overview {

/// Returns the peak rate of dense matrix products in FLOP/s; FP32 without TF32 runs on CUDA cores.
/// Returns nothing for an unlisted device or precision and for a slice of a GPU (MIG).
///
/// The sources are all by NVIDIA: H200 Tensor Core GPU Datasheet (2024); H100 Tensor Core GPU
/// Datasheet (2023); A100 Tensor Core GPU Datasheet (2021); L40S and L4 Datasheets (2023); V100 and
/// T4 Tensor Core GPU Datasheets (2020, 2019). Rates that a sheet gives with sparsity are halved.
std::optional<double> datasheet_peak(std::string_view device, Precision precision);

}  // namespace labreport::overview
