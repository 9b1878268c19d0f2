// The tables that workers write and presenters read: their columns, said once for both.
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
inline constexpr std::string_view kModule = "module";  // "layers/attn/q_proj"
inline constexpr std::string_view kOperation = "operation";
inline constexpr std::string_view kOperator = "operator";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kCount = "count";

// Of kernels; times over their instances.
inline constexpr std::string_view kClass = "class";
inline constexpr std::string_view kKernel = "kernel";  // an id
inline constexpr std::string_view kInstances = "instances";
inline constexpr std::string_view kTotalNs = "total_ns";
inline constexpr std::string_view kMinNs = "min_ns";
inline constexpr std::string_view kMedianNs = "median_ns";
inline constexpr std::string_view kMaxNs = "max_ns";
inline constexpr std::string_view kStddevNs = "stddev_ns";
inline constexpr std::string_view kStartNs = "start_ns";
inline constexpr std::string_view kDurationNs = "duration_ns";
inline constexpr std::string_view kAfterNs = "after_ns";  // since the one before started
inline constexpr std::string_view kRow = "row";           // of `kernels`, from 0
inline constexpr std::string_view kBlock = "block";       // of the network, from 0; null: none

// Of memory.
inline constexpr std::string_view kEvent = "event";  // its number in the step
inline constexpr std::string_view kTimeNs = "time_ns";
inline constexpr std::string_view kCategory = "category";
inline constexpr std::string_view kMade = "made";  // an event
inline constexpr std::string_view kMadeNs = "made_ns";
inline constexpr std::string_view kFreed = "freed";  // an event; in `largest` words
inline constexpr std::string_view kFreedNs = "freed_ns";
inline constexpr std::string_view kFreedPhase = "freed_phase";
inline constexpr std::string_view kLayers = "layers";  // "0–31"
inline constexpr std::string_view kKind = "kind";

// Of attention; beside them those of `attention_column`.
inline constexpr std::string_view kLength = "length";           // tokens
inline constexpr std::string_view kOutcome = "outcome";         // metric::kRan, …
inline constexpr std::string_view kReason = "reason";           // of any other than kRan
inline constexpr std::string_view kInputBytes = "input_bytes";  // held before the forward pass
inline constexpr std::string_view kBeforeBackwardBytes = "before_backward_bytes";
inline constexpr std::string_view kPeakBytes = "peak_bytes";  // of a forward and backward pass
inline constexpr std::string_view kRequestedBytes = "requested_bytes";  // by what was refused
inline constexpr std::string_view kInUseBytes = "in_use_bytes";         // when it was refused

// Of all-reduce; beside them `kStatisticsNs`.
inline constexpr std::string_view kMethod = "method";
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kMeanNs = "mean_ns";
inline constexpr std::string_view kLagNs = "lag_ns";  // its start after the first rank's; median
inline constexpr std::string_view kWrong = "wrong";   // elements that are not the sum

// Of ranks that train together; beside them kRank.
inline constexpr std::string_view kStepNumber = "step";  // from 1; 0: before the first
inline constexpr std::string_view kPoint = "point";      // metric::kAfterModel, …
inline constexpr std::string_view kAllocatedBytes = "allocated_bytes";
inline constexpr std::string_view kParameterBytes = "parameter_bytes";
inline constexpr std::string_view kGradientBytes = "gradient_bytes";
inline constexpr std::string_view kOptimizerBytes = "optimizer_bytes";
inline constexpr std::string_view kLayer = "layer";       // of those that are gathered, from 0
inline constexpr std::string_view kWaitNs = "wait_ns";    // of its pass for its weights; median
inline constexpr std::string_view kAloneNs = "alone_ns";  // one gather that nothing runs beside
// Of a data-parallel step, beside kRank and `kStatisticsNs`; a phase's median: `phase_column`.
inline constexpr std::string_view kTracedNs = "traced_ns";  // the traced step
inline constexpr std::string_view kCommunicationNs =
    "communication_ns";                                 // something was on its way
inline constexpr std::string_view kBothNs = "both_ns";  // and the rank computed meanwhile
inline constexpr std::string_view kLane = "lane";       // metric::kCompute, metric::kCommunication

}  // namespace column

/// "backward_ns": a phase's median.
std::string phase_column(std::string_view phase);

/// A statistic of a pass's times: "forward_median_ns"; the pass is kForward, kBackward or
/// kEndToEnd, the statistic one of `kAttentionStatistics`.
std::string attention_column(std::string_view pass, std::string_view statistic);
inline constexpr std::array<std::string_view, 6> kAttentionStatistics{
    "count", "mean_ns", "stddev_ns", "min_ns", "median_ns", "max_ns"};

/// "count", "mean_ns", …
inline constexpr std::array<std::string_view, 6> kStatisticsNs = kAttentionStatistics;

/// The tables of metric_names.h, without rows.
namespace shape {

Table kernel_names();
Table kernels();
/// Kernels in order of their start, of the step's first one; `row` is one of `kernels`, from 0.
Table gpu_trace();
/// A column of bytes for each category.
Table timeline(const std::vector<std::string_view>& categories);
Table allocations();
Table largest();
Table block();
Table block_timeline();
/// A row for each sequence length, shortest first.
Table attention();
/// A row for each size, method and rank; times are of one call.
Table all_reduce();
/// A row for each rank, step and point: bytes allocated there, the highest since the point before
/// (kPeakBytes), and those of its parameters, gradients and optimizer state.
Table held();
/// Where weights are sharded, a row for each layer and pass (kForward, kBackward) of the rank that
/// waited longest; the longest waits are medians over steps.
Table gathers();
/// Of a data-parallel step: a row for each rank.
Table rank_steps();
/// Stretches of rank 0's traced step, in order of their start, from its beginning.
Table lanes();

}  // namespace shape

}  // namespace labreport
