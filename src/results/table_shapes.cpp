#include "results/table_shapes.h"

#include <utility>

#include "results/metric_names.h"

namespace labreport {

std::string attention_column(std::string_view pass, std::string_view statistic) {
  return std::string(pass) + "_" + std::string(statistic);
}

std::string phase_column(std::string_view phase) { return std::string(phase) + "_ns"; }

}  // namespace labreport

namespace labreport::shape {
namespace {

// Units of columns. Text has no unit. Ids and event numbers have none either, because they are not
// quantities.
constexpr const char* kText = "";
constexpr const char* kNumber = "1";
constexpr const char* kTime = "ns";
constexpr const char* kSize = "B";
constexpr const char* kOrdinal = "";

void add(Table& table, std::string_view column, const char* unit) {
  table.columns.push_back({std::string(column), unit});
}

Table with_columns(std::string_view name,
                   const std::vector<std::pair<std::string_view, const char*>>& columns) {
  Table table{std::string(name), {}, {}};
  for (const auto& [column, unit] : columns) add(table, column, unit);
  return table;
}

}  // namespace

Table attention() {
  Table table = with_columns(metric::kAttention, {{column::kLength, kNumber},
                                                  {column::kOutcome, kText},
                                                  {column::kPhase, kText},
                                                  {column::kReason, kText}});
  for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd}) {
    for (const std::string_view statistic : kTimeStatistics) {
      add(table, attention_column(pass, statistic), statistic == column::kCount ? kNumber : kTime);
    }
  }
  for (const auto bytes : {column::kBeforeForwardBytes, column::kBeforeBackwardBytes,
                           column::kPeakBytes, column::kRequestedBytes, column::kInUseBytes}) {
    add(table, bytes, kSize);
  }
  return table;
}

Table all_reduce() {
  Table table =
      with_columns(metric::kAllReduce,
                   {{column::kBytes, kSize}, {column::kMethod, kText}, {column::kRank, kOrdinal}});
  for (const std::string_view statistic : kTimeStatistics) {
    add(table, statistic, statistic == column::kCount ? kNumber : kTime);
  }
  add(table, column::kLagNs, kTime);
  add(table, column::kWrong, kNumber);
  return table;
}

Table held() {
  return with_columns(metric::kHeld, {{column::kRank, kOrdinal},
                                      {column::kStepNumber, kOrdinal},
                                      {column::kPoint, kText},
                                      {column::kAllocatedBytes, kSize},
                                      {column::kPeakBytes, kSize},
                                      {column::kParameterBytes, kSize},
                                      {column::kGradientBytes, kSize},
                                      {column::kOptimizerBytes, kSize}});
}

Table gathers() {
  return with_columns(metric::kGathers, {{column::kLayer, kOrdinal},
                                         {column::kModule, kText},
                                         {column::kPhase, kText},
                                         {column::kBytes, kSize},
                                         {column::kWaitNs, kTime},
                                         {column::kAloneNs, kTime}});
}

Table rank_steps() {
  Table table = with_columns(metric::kRankSteps, {{column::kRank, kOrdinal}});
  for (const std::string_view statistic : kTimeStatistics) {
    add(table, statistic, statistic == column::kCount ? kNumber : kTime);
  }
  add(table, column::kLagNs, kTime);
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward, metric::kExchange,
                           metric::kOptimizer}) {
    add(table, phase_column(phase), kTime);
  }
  for (const auto traced : {column::kTracedNs, column::kCommunicationNs, column::kOverlapNs}) {
    add(table, traced, kTime);
  }
  return table;
}

Table lanes() {
  return with_columns(metric::kLanes, {{column::kLane, kText},
                                       {column::kPhase, kText},
                                       {column::kStartNs, kTime},
                                       {column::kDurationNs, kTime}});
}

Table kernel_names() {
  return with_columns(metric::kKernelNames, {{column::kId, kOrdinal}, {column::kName, kText}});
}

Table kernels() {
  return with_columns(metric::kKernels, {{column::kPhase, kText},
                                         {column::kModule, kText},
                                         {column::kOperation, kText},
                                         {column::kOperator, kText},
                                         {column::kClass, kText},
                                         {column::kKernel, kOrdinal},
                                         {column::kInstances, kNumber},
                                         {column::kTotalNs, kTime},
                                         {column::kMinNs, kTime},
                                         {column::kMedianNs, kTime},
                                         {column::kMaxNs, kTime},
                                         {column::kStddevNs, kTime}});
}

Table gpu_trace() {
  return with_columns(metric::kGpuTrace, {{column::kAfterNs, kTime},
                                          {column::kDurationNs, kTime},
                                          {column::kRow, kOrdinal},
                                          {column::kBlock, kOrdinal}});
}

Table timeline(const std::vector<std::string_view>& categories) {
  Table table =
      with_columns(metric::kTimeline,
                   {{column::kEvent, kOrdinal}, {column::kTimeNs, kTime}, {column::kPhase, kText}});
  for (const std::string_view category : categories) add(table, category, kSize);
  add(table, metric::kAllocated, kSize);
  return table;
}

Table allocations() {
  return with_columns(metric::kAllocations, {{column::kId, kOrdinal},
                                             {column::kBytes, kSize},
                                             {column::kMade, kOrdinal},
                                             {column::kFreed, kOrdinal},
                                             {column::kMadeNs, kTime},
                                             {column::kFreedNs, kTime},
                                             {column::kPhase, kText},
                                             {column::kFreedPhase, kText},
                                             {column::kModule, kText},
                                             {column::kOperation, kText},
                                             {column::kOperator, kText},
                                             {column::kCategory, kText}});
}

Table largest() {
  return with_columns(metric::kLargest, {{column::kBytes, kSize},
                                         {column::kCount, kNumber},
                                         {column::kModule, kText},
                                         {column::kOperation, kText},
                                         {column::kOperator, kText},
                                         {column::kCategory, kText},
                                         {column::kFreed, kText},
                                         {column::kLayers, kText}});
}

Table block() {
  return with_columns(metric::kBlock, {{column::kKind, kText},
                                       {column::kModule, kText},
                                       {column::kOperation, kText},
                                       {column::kOperator, kText},
                                       {column::kCategory, kText},
                                       {column::kBytes, kSize},
                                       {column::kCount, kNumber}});
}

Table block_timeline() {
  return with_columns(metric::kBlockTimeline, {{column::kEvent, kOrdinal},
                                               {column::kTimeNs, kTime},
                                               {column::kPhase, kText},
                                               {column::kModule, kText},
                                               {metric::kRequested, kSize},
                                               {metric::kAllocated, kSize}});
}

}  // namespace labreport::shape
