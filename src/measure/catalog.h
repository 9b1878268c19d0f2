// The measurements of this worker, one for each kind of cell.
#pragma once

#include "results/run.h"

namespace labreport {

/// Measures `request` on a started device. Errors are thrown and the outcome stays `Ok`, except for
/// kinds that keep partial results of a step that ran out of memory.
using Measurement = Launch (*)(const LaunchRequest& request);

/// Throws `InputError` for a kind that this worker cannot measure.
Measurement find_measurement(CellKind kind);

/// Kind `accumulation`: sums of a thousand additions of a small number. Runs every loop one
/// addition at a time, on the cell's device and, if that is a GPU, also on the CPU. Samples tagged
/// "running" hold the sum after each addition.
Launch measure_accumulation(const LaunchRequest& request);

/// Kind `all_reduce`: time of an FP32 all-reduce for each of `all_reduce_sizes`. The handout's
/// method uses the host's clock and synchronizes the device around every call. On a GPU nccl-tests'
/// method follows: n calls back to back, in place and out of place. All sizes are measured in
/// several rounds. Synchronized calls are spread over the rounds; the mean of calls back to back is
/// the median of the rounds' means. One call is checked element by element. Rank 0's launch has the
/// whole table; the other ranks' launches have none.
Launch measure_all_reduce(const LaunchRequest& request);

/// Kind `attention`: one causal attention at several sequence lengths. Checks the cell's
/// implementation against FP64, then times it at each length, shortest first. Each length has its
/// row of the table, whatever its outcome. Lengths after one that ran out of memory are not tried.
/// Throws `InputError` if the cell has no sweep.
Launch measure_attention(const LaunchRequest& request);

/// Kind `checkpointing`: memory and time of a step in which backward runs groups of blocks again.
/// One forward and backward pass comes first, then, in mode `train_step`, training steps. If those
/// run out of memory, the results of the first pass are kept and the outcome is set here, not
/// thrown. Throws `InputError` if a parameter is missing, and for modes without a backward pass.
Launch measure_checkpointing(const LaunchRequest& request);

/// Kind `data_parallel`: one training step on several ranks, each with its share of the batch.
/// Checks first that the cell's scheme trains like one process; then times steps, which all ranks
/// start together, by each rank's own clock; then traces one more. Rank 0's launch has all numbers;
/// the other ranks' launches have only conditions. Throws `InputError` if a parameter is missing,
/// `Error` if training would differ.
Launch measure_data_parallel(const LaunchRequest& request);

/// Kind `dtypes`: the dtype of each tensor under autocast. Traces tensors of one training step
/// under FP16 and under BF16 autocast: of the toy model and one Transformer block, or of the model
/// that the cell names.
Launch measure_dtypes(const LaunchRequest& request);

/// Kind `kernels`: one step under the profiler. Runs `warmup` steps, then `steps` timed without the
/// profiler, then one with it. If both are 0, the profiled step is the process's first. On a CPU,
/// operators take the place of kernels.
Launch measure_kernels(const LaunchRequest& request);

/// Kind `ladder`: one training step in the variant of its cell. Times the steps, keeps each loss,
/// and profiles one more step. A CUDA graph on a CPU is skipped. Throws `InputError` if a parameter
/// is missing.
Launch measure_ladder(const LaunchRequest& request);

/// Kind `layer_norm`: loss of digits in layer normalization, by format and step. Normalizes random
/// normal vectors of several widths and scales in FP16, BF16 and FP32 by three methods, and
/// compares each step with FP64 on the same, already rounded, input.
Launch measure_layer_norm(const LaunchRequest& request);

/// Kind `limits`: the rates that the device sustains. Measures GEMMs on random normal inputs in
/// every precision, and a copy on the device.
Launch measure_limits(const LaunchRequest& request);

/// Kind `memory`: peaks and allocation history of one step. A step that runs out of memory keeps
/// its results so far: its outcome is set here, not thrown.
Launch measure_memory(const LaunchRequest& request);

/// Kind `sharding`: memory and step times of ranks that train together. Records memory after
/// building the network, in the first step and in the last warm-up step. Then times `steps` whole
/// steps and as many by phases. Rank 0's launch has all numbers; the other ranks' launches have
/// none. Throws `InputError` if a parameter is missing, `NotOffered` for a network that is not
/// labreport's.
Launch measure_sharding(const LaunchRequest& request);

/// Kind `timing`: times of the steps of one mode, from the process's first step on. Every step is
/// kept, so one launch covers every shorter warm-up. Throws `InputError` if the cell lacks a
/// parameter.
Launch measure_timing(const LaunchRequest& request);

}  // namespace labreport
