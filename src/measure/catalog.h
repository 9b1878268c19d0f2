// The measurements of this worker, one for each kind of cell.
#pragma once

#include "results/run.h"

namespace labreport {

/// Measures one cell on a device that is already started. Errors are thrown. A returned outcome
/// other than `Ok` says why results are missing: a step ran out of memory, the profiler saw no
/// kernel, or the cell was skipped.
using MeasureFunction = Launch (*)(const LaunchRequest& request);

/// Throws `InputError` for a kind that this worker cannot measure. Kind `leaderboard` is measured
/// as a step of kind `data_parallel` that joins its ranks by itself, and with `repeats` also by the
/// method of triton.testing.do_bench.
MeasureFunction find_measure_function(CellKind kind);

/// Kind `accumulation`: the sum after each of a thousand additions of one number, for several
/// dtypes. Metrics tagged "running" are from the cell's device. If the device is a GPU, metrics
/// tagged "running_host" are from the CPU.
Launch measure_accumulation(const LaunchRequest& request);

/// Kind `all_reduce`: time of an FP32 all-reduce for each of `all_reduce_sizes`, by two methods.
/// The course handout's method times each call by the host's clock, between two synchronizations of
/// the device. On a GPU, the method of nccl-tests enqueues n calls back to back and takes their
/// mean, in place and out of place. Several rounds measure all sizes. Synchronized calls are spread
/// over the rounds; of back-to-back calls, the table has the median of the rounds' means. The
/// result of one call is checked element by element. Only rank 0's launch has the table.
Launch measure_all_reduce(const LaunchRequest& request);

/// Kind `attention`: one causal attention at several sequence lengths. Checks the cell's
/// implementation against FP64, then times it at each length, shortest first. The table has a row
/// for each length, whatever its outcome. Lengths after one that ran out of memory are not tried.
/// Throws `InputError` if the cell has no sweep.
Launch measure_attention(const LaunchRequest& request);

/// Kind `checkpointing`: memory and time of steps whose backward pass recomputes groups of blocks.
/// Measures the memory of one forward and backward pass, then times steps of the cell's mode. If
/// the timed steps run out of memory, the launch has that outcome and keeps the first results.
/// Throws `InputError` if a parameter is missing, or if the mode has no backward pass.
Launch measure_checkpointing(const LaunchRequest& request);

/// Kind `data_parallel`: one training step on several ranks, each with its own sequences. Checks
/// that the cell's scheme trains like one process, then times steps, which all ranks start
/// together, then traces one more. Only rank 0's launch has metrics and tables. Throws `InputError`
/// if a parameter is missing, `Error` if training would differ.
Launch measure_data_parallel(const LaunchRequest& request);

/// Kind `dtypes`: the dtype of each tensor in a training step under FP16 and under BF16 autocast,
/// of the toy model and one Transformer block, or of the implementation that the cell names. If the
/// cell has a precision, counts what one step of its mode computes in that precision instead.
Launch measure_dtypes(const LaunchRequest& request);

/// Kind `kernels`: one step under the profiler. Runs `warmup` steps, then times `steps` more, then
/// profiles one. If `warmup` and `steps` are 0, the profiled step is the process's first. On a CPU,
/// operators take the place of kernels.
Launch measure_kernels(const LaunchRequest& request);

/// Kind `ladder`: training steps in the cell's variant. Times the steps, keeps the loss of each,
/// and profiles one more step. A CUDA graph on a CPU is skipped. Throws `InputError` if a parameter
/// is missing.
Launch measure_ladder(const LaunchRequest& request);

/// Kind `layer_norm`: rounding errors of layer normalization. Normalizes random normal vectors of
/// several widths and scales in FP16, BF16 and FP32 by three methods, and compares each
/// intermediate result with that of FP64 on the rounded input.
Launch measure_layer_norm(const LaunchRequest& request);

/// Kind `limits`: the rates that the device sustains, in flop/s for matrix products of random
/// normal inputs in every precision, and in B/s for a copy on the device.
Launch measure_limits(const LaunchRequest& request);

/// Kind `memory`: peaks and allocation history of one step. If the step runs out of memory, the
/// launch has that outcome and keeps the results so far.
Launch measure_memory(const LaunchRequest& request);

/// Kind `sharding`: memory and step times of ranks that train together. Records memory after
/// building the network, in the first step and in the last warm-up step. Then times `steps` whole
/// steps, and `steps` more with a synchronization after each phase. Only rank 0's launch has
/// metrics and tables. Throws `InputError` if a parameter is missing, `NotOffered` for a
/// network that is not labreport's own.
Launch measure_sharding(const LaunchRequest& request);

/// Kind `timing`: times of the steps of one mode. The launch keeps the warm-up steps too, from the
/// process's first step on, so it shows what a shorter warm-up would have measured. Throws
/// `InputError` if the cell lacks a parameter.
Launch measure_timing(const LaunchRequest& request);

}  // namespace labreport
