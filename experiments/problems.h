// Declares how each problem plans its cells and presents its parts; catalog.cpp lists the problems.
#pragma once

#include "experiments/experiment.h"

namespace labreport {

namespace benchmarking_script {
/// Plans sizes × contexts × precisions × modes; in the full preset also processes of one cold step.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_script

namespace nsys_profile {
/// Plans, for each network, an inference step and the longest mode that fits the memory. 2025:
/// every context in FP32, and the reference context in the device's 16-bit format. 2026: the three
/// longest contexts that fit; see `ContextSearch`.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace nsys_profile

namespace mixed_precision_accumulation {
/// Plans one cell with all accumulation loops.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace mixed_precision_accumulation

namespace benchmarking_mixed_precision {
/// Plans the dtypes under autocast for (a) and (b), layer normalization for (b), and for (c) the
/// training step of every size in FP32 and in 16 bits, or a shorter mode if that step does not fit.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace benchmarking_mixed_precision

namespace memory_profiling {
/// Plans inference, a forward pass with gradients enabled, and the longest mode that fits, in FP32
/// and in the device's 16-bit format. There is one size, the edition's or the next smaller one that
/// has a step that fits. 2026: also at the longest context whose step fits; see `ContextSearch`.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace memory_profiling

namespace pytorch_attention {
/// Plans a cell of eager attention at every length for each head dimension and precision.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace pytorch_attention

namespace torch_compile {
/// Plans for part (a) attention over head dimensions and sequence lengths, in FP32, and for part
/// (b) each network's training step, in FP32 and the device's 16-bit format. Eager and compiled
/// cells run the same PyTorch functions.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace torch_compile

namespace flash_benchmarking {
/// Plans a cell with all lengths for each precision, head dimension and implementation, then the
/// leaderboard's configuration for each backend. Backends without FP32 get one cell to show it.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace flash_benchmarking

namespace gradient_checkpointing {
/// Plans the training step of xl at context 2048 without checkpoints, then with checkpoints of 1,
/// 2, 4, … blocks. If xl runs out of memory even with checkpoints of one block, the next smaller
/// size follows, and so on; sizes that the user names are all planned.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace gradient_checkpointing

namespace distributed_communication_single_node {
/// Plans a cell for each library and number of ranks. 2025: Gloo among CPU processes and NCCL among
/// GPUs; 2026: only NCCL. Without a GPU only Gloo is planned.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace distributed_communication_single_node

namespace optimizer_state_sharding_accounting {
/// Plans steps with nothing sharded and steps with the optimizer's state sharded.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace optimizer_state_sharding_accounting

namespace fsdp_accounting {
/// Plans steps with nothing, the optimizer's state or the weights sharded, in FP32 and in 16 bits.
/// Unless the user names precisions, 16-bit steps with a sharded optimizer are left out.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace fsdp_accounting

namespace parallel_arithmetic {
/// Plans what gives this machine's C (the device's limits) and W (all-reduces among two devices, as
/// in `distributed_communication_single_node`). Everything else is calculated.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

Presentation communication_accounting(const RunView& view);  ///< 2025; the others are for 2026.
Presentation alternate_ring_all_reduce(const RunView& view);
Presentation data_parallel_calcs(const RunView& view);
Presentation fsdp_calcs(const RunView& view);
Presentation tp_calcs(const RunView& view);
Presentation fsdp_tp_calcs(const RunView& view);
}  // namespace parallel_arithmetic

namespace data_parallel {
/// Plans, on two ranks, the step without communication and the schemes of all parts up to the last
/// wanted part. Part (d) also needs all-reduces without training: their latency and bandwidth
/// determine the best bucket size. A user's own model is not trained.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace data_parallel

namespace ladder {
/// Plans all rungs under 16-bit autocast, then in FP32, for the smallest size and for the largest
/// whose first rung fits. On a GPU the FP32 ladder changes to TF32 before the CUDA graph, and both
/// ladders end with torch.compile. A user's own model has no ladder.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace ladder

namespace scaling {
/// Plans a training step in FP32 and in the device's 16-bit format on one GPU, and then on 2, 4 and
/// 8 ranks as far as the host has GPUs, or on the ranks that the user chose: with the batch shared
/// among them if it divides, and with as large a batch each.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace scaling

namespace leaderboard {
/// Plans, on two ranks, each rung for the whole network, or for as many layers as let the rung that
/// needs least run; then the fastest rung once more, by do_bench's method. On a host with one GPU
/// there is one rank, and on a CPU a tiny network. A step of the user's takes the rungs' place.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);
Presentation present(const RunView& view);
}  // namespace leaderboard

}  // namespace labreport
