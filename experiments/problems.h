// Each problem of the handout plans its cells and presents its parts; catalog.cpp lists the
// problems.
#pragma once

#include "experiments/experiment.h"

namespace labreport {

namespace benchmarking_script {
/// Sizes × contexts × precisions × modes; first steps in processes of their own in the full preset.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_script

namespace nsys_profile {
/// An inference step and the fullest step that fits of each network. 2025: every context in FP32,
/// and the reference context in the device's 16-bit format. 2026: the three longest contexts,
/// powers of two, whose step fits; found by doubling.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace nsys_profile

namespace mixed_precision_accumulation {
/// One cell: the loops.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace mixed_precision_accumulation

namespace benchmarking_mixed_precision {
/// Dtypes for (a) and (b), layer normalization for (b); for (c) the training step of every size in
/// FP32 and in the device's 16-bit format, and a lesser mode where a step does not fit.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_mixed_precision

namespace memory_profiling {
/// Inference, a forward with grad and the fullest step that fits, of the edition's one size, in
/// FP32 and in the device's 16-bit format. 2026: also at the longest context whose step fits, found
/// by doubling. Where no step of that size fits the device, the largest size of which one does.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace memory_profiling

namespace pytorch_attention {
/// A cell for each head dimension and precision: eager attention at every length.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace pytorch_attention

namespace torch_compile {
/// Part (a): attention by itself over head dimensions and sequence lengths, in FP32. Part (b): each
/// network's training step in eager mode and compiled, in FP32 and the device's 16-bit format. Both
/// ways are the same PyTorch functions.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace torch_compile

namespace flash_benchmarking {
/// A cell for each precision, head dimension and implementation at every length, then the
/// leaderboard's configuration for each backend. What no library computes in FP32 is asked once, at
/// the smallest head dimension: its cell tells why.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace flash_benchmarking

namespace gradient_checkpointing {
/// The training step of xl at context 2048 without checkpoints, then with checkpoints of 1, 2, 4, …
/// blocks; of the next smaller size where one block each has no room. The user's sizes, contexts
/// and precisions as they are.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace gradient_checkpointing

namespace distributed_communication_single_node {
/// Every size by one library with one number of ranks.
CellSpec all_reduces(const PlanInput& input, DeviceKind device, Ranks ranks);

/// A cell for each library and number of ranks. 2025 sets Gloo on CPU processes beside NCCL on
/// GPUs, 2026 has GPUs alone; a demonstration has Gloo and two processes.
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
/// C and W of this machine: the device's limits, and the all-reduce among two of its kind, as the
/// problem of all-reduce plans it. The arithmetic itself needs none of it.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

Presentation communication_accounting(const RunView& view);  ///< 2025
Presentation alternate_ring_all_reduce(const RunView& view);
Presentation data_parallel_calcs(const RunView& view);
Presentation fsdp_calcs(const RunView& view);
Presentation tp_calcs(const RunView& view);
Presentation fsdp_tp_calcs(const RunView& view);
}  // namespace parallel_arithmetic

namespace data_parallel {
/// On two ranks the step without communication and those of the schemes up to the last part that is
/// wanted; for buckets also all-reduces by themselves, whose latency and bandwidth their number
/// follows from. The batch is shared out among the ranks. Only labreport's own network is trained.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace data_parallel

namespace ladder {
/// Plans, for the smallest size and the largest whose first rung fits, each variant under 16-bit
/// autocast, then each in FP32, on a GPU with TF32 before the CUDA graph; there torch.compile comes
/// last. Only labreport's own network has a ladder.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace ladder

}  // namespace labreport
