// GEMM peaks as data sheets give them: a second yardstick beside the measured one.
#pragma once

#include <optional>
#include <string_view>

#include "results/cell.h"

namespace labreport::overview {

/// FLOP/s of dense matrices. FP32 without TF32 runs on CUDA cores. Nothing for a device, or a
/// precision of it, whose data sheet is not here.
///
/// Sources, all by NVIDIA: H200 Tensor Core GPU Datasheet (2024); H100 Tensor Core GPU Datasheet
/// (2023); A100 Tensor Core GPU Datasheet (2021); L40S and L4 Datasheets (2023); V100 and T4 Tensor
/// Core GPU Datasheets (2020, 2019). Where a sheet gives rates with sparsity, half of them.
std::optional<double> datasheet_peak(std::string_view device, Precision precision);

}  // namespace labreport::overview
