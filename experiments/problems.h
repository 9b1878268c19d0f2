// Each problem of the handout plans its cells and presents its parts; catalog.cpp lists the
// problems.
#pragma once

#include "experiments/experiment.h"

namespace labreport {

namespace benchmarking_script {
/// Plans sizes × contexts × precisions × modes. The full preset also times first steps in separate
/// processes.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_script

namespace nsys_profile {
/// Plans an inference step and the fullest step that fits of each network. 2025: every context in
/// FP32, and the reference context in the device's 16-bit format. 2026: the three longest contexts,
/// powers of two, whose step fits; doubling finds them.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace nsys_profile

namespace mixed_precision_accumulation {
/// Plans one cell with all loops.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace mixed_precision_accumulation

namespace benchmarking_mixed_precision {
/// Plans dtypes for (a) and (b), layer normalization for (b), and for (c) the training step of
/// every size in FP32 and in the device's 16-bit format, or a lesser mode if a step does not fit.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_mixed_precision

namespace memory_profiling {
/// Plans inference, a forward with grad and the fullest step that fits, of the edition's one size,
/// in FP32 and in the device's 16-bit format. 2026: also at the longest context whose step fits,
/// which doubling finds. If no step of that size fits the device, a smaller size takes its place.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace memory_profiling

namespace pytorch_attention {
/// Plans a cell of eager attention at every length for each head dimension and precision.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace pytorch_attention

namespace torch_compile {
/// Plans for part (a) attention alone over head dimensions and sequence lengths, in FP32, and for
/// part (b) each network's training step, in FP32 and the device's 16-bit format. The eager and the
/// compiled cells run the same PyTorch functions.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace torch_compile

namespace flash_benchmarking {
/// Plans a cell for each precision, head dimension and implementation at every length, then the
/// leaderboard's configuration for each backend. Backends without FP32 are tried in FP32 once, at
/// the smallest head dimension, so that the cell records the reason.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace flash_benchmarking

namespace gradient_checkpointing {
/// Plans the training step of xl at context 2048 without checkpoints, then with checkpoints of 1,
/// 2, 4, … blocks, or of the next smaller size if checkpoints of one block run out of memory. The
/// user's sizes, contexts and precisions are taken without this search.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace gradient_checkpointing

namespace distributed_communication_single_node {
/// A cell of every size over one library with one number of ranks.
CellSpec all_reduces(const PlanInput& input, DeviceKind device, Ranks ranks);

/// Plans a cell for each library and number of ranks. 2025 compares Gloo on CPU processes with NCCL
/// on GPUs, 2026 has GPUs alone; a demonstration has Gloo and two processes.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace distributed_communication_single_node

namespace optimizer_state_sharding_accounting {
/// Plans steps with nothing sharded and steps with the optimizer's state sharded.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace optimizer_state_sharding_accounting

namespace fsdp_accounting {
/// Plans FP32 steps with nothing, the optimizer's state and the weights sharded, and 16-bit steps
/// with nothing and the weights sharded. The user's precisions have all three.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace fsdp_accounting

namespace parallel_arithmetic {
/// Plans C and W of this machine: the device's limits, and the all-reduce among two devices of
/// `distributed_communication_single_node`. Everything else is calculated.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

Presentation communication_accounting(const RunView& view);  ///< 2025
Presentation alternate_ring_all_reduce(const RunView& view);
Presentation data_parallel_calcs(const RunView& view);
Presentation fsdp_calcs(const RunView& view);
Presentation tp_calcs(const RunView& view);
Presentation fsdp_tp_calcs(const RunView& view);
}  // namespace parallel_arithmetic

namespace data_parallel {
/// Plans on two ranks the step without communication and the schemes up to the last part that is
/// wanted, and for buckets all-reduces alone, whose latency and bandwidth determine the best size.
/// Each rank trains on its part of the batch. Only labreport's own network is trained.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace data_parallel

namespace ladder {
/// Plans each variant under 16-bit autocast, then in FP32, for the smallest size and the largest
/// whose first rung fits. On a GPU the FP32 ladder has TF32 before the CUDA graph, and both end
/// with torch.compile. Only labreport's own network has a ladder.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace ladder

}  // namespace labreport
