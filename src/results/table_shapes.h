// Names the columns of the tables that workers write and presenters read.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "results/metric.h"

namespace labreport {

namespace column {

inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kPhase = "phase";
inline constexpr std::string_view kModule = "module";        // "layers/attn/q_proj"
inline constexpr std::string_view kOperation = "operation";  // outermost: "aten::linear"
inline constexpr std::string_view kOperator = "operator";    // innermost: "aten::mm"
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kCount = "count";

// Columns of kernels. Times are statistics over the launches of a kernel in one step.
inline constexpr std::string_view kClass = "class";
inline constexpr std::string_view kKernel = "kernel";  // kId in the table kernel_names
inline constexpr std::string_view kInstances = "instances";
inline constexpr std::string_view kTotalNs = "total_ns";
inline constexpr std::string_view kMinNs = "min_ns";
inline constexpr std::string_view kMedianNs = "median_ns";
inline constexpr std::string_view kMaxNs = "max_ns";
inline constexpr std::string_view kStddevNs = "stddev_ns";

// Columns of single launches and of intervals.
inline constexpr std::string_view kStartNs = "start_ns";
inline constexpr std::string_view kDurationNs = "duration_ns";
inline constexpr std::string_view kAfterNs = "after_ns";  // ns since the previous kernel's start
inline constexpr std::string_view kRow = "row";           // index into `kernels`, from 0
inline constexpr std::string_view kBlock = "block";  // the network's block, from 0; null if none

// Columns of memory tables.
inline constexpr std::string_view kEvent = "event";  // number in the step, from 1
inline constexpr std::string_view kTimeNs = "time_ns";
inline constexpr std::string_view kCategory = "category";
inline constexpr std::string_view kMade = "made";  // number of the allocating event
inline constexpr std::string_view kMadeNs = "made_ns";
inline constexpr std::string_view kFreed = "freed";  // the freeing event's; words in `largest`
inline constexpr std::string_view kFreedNs = "freed_ns";
inline constexpr std::string_view kFreedPhase = "freed_phase";
inline constexpr std::string_view kLayers = "layers";  // "0–31"
inline constexpr std::string_view kKind = "kind";      // metric::kKept

// Columns of attention. attention_column() names its other columns.
inline constexpr std::string_view kLength = "length";    // tokens
inline constexpr std::string_view kOutcome = "outcome";  // metric::kRan, …
inline constexpr std::string_view kReason = "reason";    // text unless the outcome is kRan
inline constexpr std::string_view kBeforeForwardBytes = "input_bytes";  // allocated
inline constexpr std::string_view kBeforeBackwardBytes = "before_backward_bytes";
inline constexpr std::string_view kPeakBytes = "peak_bytes";  // highest in forward and backward
inline constexpr std::string_view kRequestedBytes = "requested_bytes";  // of the refused allocation
inline constexpr std::string_view kInUseBytes = "in_use_bytes";  // allocated when it was refused

// Columns of all-reduce. `kTimeStatistics` names its other columns.
inline constexpr std::string_view kMethod = "method";
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kMeanNs = "mean_ns";
inline constexpr std::string_view kLagNs = "lag_ns";  // median of start − first rank's start
inline constexpr std::string_view kWrong =
    "wrong";  // number of elements that are not the exact sum

// Columns of ranks that train together, in addition to kRank.
inline constexpr std::string_view kStepNumber = "step";  // from 1; 0: before step 1
inline constexpr std::string_view kPoint = "point";      // metric::kAfterModel, …
inline constexpr std::string_view kAllocatedBytes = "allocated_bytes";
inline constexpr std::string_view kParameterBytes = "parameter_bytes";
inline constexpr std::string_view kGradientBytes = "gradient_bytes";
inline constexpr std::string_view kOptimizerBytes = "optimizer_bytes";
inline constexpr std::string_view kLayer = "layer";     // index of a gathered layer, from 0
inline constexpr std::string_view kWaitNs = "wait_ns";  // median wait of a pass for its weights
inline constexpr std::string_view kAloneNs =
    "alone_ns";  // time of a gather while nothing else runs

// Columns of a data-parallel step, in addition to kRank and `kTimeStatistics`. phase_column() names
// the column with a phase's median.
inline constexpr std::string_view kTracedNs = "traced_ns";  // duration of the traced step
inline constexpr std::string_view kCommunicationNs = "communication_ns";  // its communication
inline constexpr std::string_view kOverlapNs = "both_ns";  // its communication beside computation
inline constexpr std::string_view kLane = "lane";  // metric::kCompute, metric::kCommunication

}  // namespace column

/// Returns the column of a phase's median: "backward_ns".
std::string phase_column(std::string_view phase);

/// Returns the column of a statistic of a pass: "forward_median_ns". The pass is kForward,
/// kBackward or kEndToEnd; the statistic is one of `kTimeStatistics`.
std::string attention_column(std::string_view pass, std::string_view statistic);
inline constexpr std::array<std::string_view, 6> kTimeStatistics{"count",  "mean_ns",   "stddev_ns",
                                                                 "min_ns", "median_ns", "max_ns"};

/// Each function returns the table of its name in metric_names.h, with columns and without rows.
namespace shape {

Table kernel_names();
Table kernels();
/// One row for each kernel, in order of start times.
Table gpu_trace();
/// One column of bytes for each category.
Table timeline(const std::vector<std::string_view>& categories);
Table allocations();
/// One row for each group of equal allocations of the forward pass, largest first.
Table largest();
/// One row for each group of tensors that one Transformer block keeps for the backward pass.
Table block();
Table block_timeline();
/// One row for each sequence length, shortest first.
Table attention();
/// One row for each size, method and rank; times are for one call.
Table all_reduce();
/// One row for each rank, step and point of the step: the bytes allocated there, the highest bytes
/// since the previous point (kPeakBytes), and the bytes of parameters, gradients and optimizer
/// state.
Table held();
/// One row for each layer and pass (kForward, kBackward) if weights are sharded. All rows are from
/// the rank that waited longest, and waits are medians over steps.
Table gathers();
/// One row for each rank of a data-parallel step.
Table rank_steps();
/// One row for each interval of rank 0's traced step, in order of start times, which count from the
/// start of the step.
Table lanes();

}  // namespace shape

}  // namespace labreport
