// Every kind of measurement that this worker can make.
#pragma once

#include "results/run.h"

namespace labreport {

/// Measures `request` on a device that has been started. Errors are thrown and the outcome stays
/// `Ok`, unless a kind can still tell something of a step that ran out of memory.
using Measurement = Launch (*)(const LaunchRequest& request);

/// Throws `InputError` for a kind that this worker does not measure.
Measurement find_measurement(CellKind kind);

/// Kind `accumulation`: what a thousand additions of a small number come to. Runs every loop one
/// addition at a time, on the cell's device and, beside a GPU, on the CPU. Samples tagged "running"
/// hold the sum after each addition.
Launch measure_accumulation(const LaunchRequest& request);

/// Kind `all_reduce`: how long an all-reduce takes, by size. For each of `all_reduce_sizes`, FP32:
/// by the host's clock, the device synchronized around every call, as the handout has it; on a GPU
/// by nccl-tests' method too, n calls back to back, in place and out of place. Sizes take turns in
/// several rounds: the synchronized calls are shared out over the rounds, and a mean of calls back
/// to back is the median of the rounds' means. One call is checked element by element. The ranks
/// gather their numbers, and rank 0's launch has the whole table; the others' have none.
Launch measure_all_reduce(const LaunchRequest& request);

/// Kind `attention`: one causal attention by itself, at one sequence length after the other. Checks
/// the cell's implementation against FP64, then times it at each length, upward. Whatever becomes
/// of a length is its row of the table; the lengths behind one that ran out of memory are not
/// tried. Throws `InputError` where the cell names no sweep.
Launch measure_attention(const LaunchRequest& request);

/// Kind `checkpointing`: what a step holds and takes where groups of blocks run again in backward.
/// One forward and backward first, then, in mode `train_step`, training steps. Where these run out
/// of memory, what is known of the first is kept: the outcome is set here, not thrown. Throws
/// `InputError` where a parameter is missing, and for modes without a backward pass.
Launch measure_checkpointing(const LaunchRequest& request);

/// Kind `data_parallel`: one training step on several ranks, each with its share of the batch.
/// First checks that the cell's scheme trains as one process would; then times steps, all ranks
/// beginning together, by each rank's own clock; then traces one more. The ranks gather their
/// numbers, and rank 0's launch has all; the others' have conditions alone. Throws `InputError`
/// where a parameter is missing, `Error` where training would differ.
Launch measure_data_parallel(const LaunchRequest& request);

/// Kind `dtypes`: which dtype each tensor has under autocast. Traces live tensors of one training
/// step under FP16 and under BF16 autocast: of the toy model and of one Transformer block, or of
/// the model that the cell names.
Launch measure_dtypes(const LaunchRequest& request);

/// Kind `kernels`: one step under the profiler, beside the same steps without it. `warmup` steps,
/// `steps` timed without the profiler, then one with it; with 0 and 0 the profiled step is the
/// first of the process. On a CPU its operators stand in place of kernels.
Launch measure_kernels(const LaunchRequest& request);

/// Kind `ladder`: one training step, written as its cell's variant says. Times the steps, keeps the
/// loss of each, and profiles one more. A CUDA graph on a CPU is skipped. Throws `InputError` where
/// a parameter is missing.
Launch measure_ladder(const LaunchRequest& request);

/// Kind `layer_norm`: how layer normalization loses digits, format by format and step by step.
/// Normalizes random normal vectors of several widths and scales in FP16, BF16 and FP32 by three
/// methods and compares each step with FP64 on the same, already rounded, input.
Launch measure_layer_norm(const LaunchRequest& request);

/// Kind `limits`: what the device sustains, measured rather than looked up. GEMMs on random normal
/// inputs, in every precision, and a copy on the device.
Launch measure_limits(const LaunchRequest& request);

/// Kind `memory`: one step's peaks, and everything that its allocator did. A step that runs out of
/// memory keeps what is known up to there: its outcome is set here, not thrown.
Launch measure_memory(const LaunchRequest& request);

/// Kind `sharding`: what ranks that train together hold, and how long their steps take. Building
/// the network, the first step and the last of the warm-up are looked at by their memory; then
/// `steps` steps are timed as a whole and as many by phases. The ranks gather their numbers: rank
/// 0's launch has them all, the others' have none. Throws `InputError` where a parameter is
/// missing, `NotOffered` for a network that is not labreport's.
Launch measure_sharding(const LaunchRequest& request);

/// Kind `timing`: how long the steps of one mode take, from the very first. Every step from process
/// start is kept, so one launch holds every warm-up window up to its own. Throws `InputError` where
/// the cell lacks a parameter.
Launch measure_timing(const LaunchRequest& request);

}  // namespace labreport
