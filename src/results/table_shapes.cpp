#include "results/table_shapes.h"

#include <algorithm>
#include <initializer_list>

#include "results/metric_names.h"

namespace labreport {
namespace {

using enum ColumnKind;
using Columns = std::vector<ColumnShape>;

Columns concatenated(std::initializer_list<Columns> parts) {
  Columns all;
  for (const Columns& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

ColumnKind kind_of_statistic(std::string_view statistic) {
  return statistic == column::kCount ? kNumber : kTime;
}

Columns statistics_columns() {
  Columns columns;
  for (const auto statistic : kTimeStatistics)
    columns.emplace_back(statistic, kind_of_statistic(statistic));
  return columns;
}

Columns attention_columns() {
  Columns columns{{column::kLength, kNumber, "tokens"},
                  {column::kOutcome, kText, "'ok', 'out of memory', 'not offered', …"},
                  {column::kPhase, kText, "where memory ran out"},
                  {column::kReason, kText, "for any outcome but 'ok'"}};
  for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd}) {
    for (const auto statistic : kTimeStatistics)
      columns.emplace_back(attention_column(pass, statistic), kind_of_statistic(statistic));
  }
  columns.emplace_back(column::kBeforeForwardBytes, kSize, "allocated before forward");
  columns.emplace_back(column::kBeforeBackwardBytes, kSize, "allocated before backward");
  columns.emplace_back(column::kPeakBytes, kSize, "the most in forward and backward");
  columns.emplace_back(column::kRequestedBytes, kSize, "what was refused");
  columns.emplace_back(column::kInUseBytes, kSize, "what was allocated then");
  return columns;
}

Columns timeline_columns() {
  Columns columns{{column::kEvent, kOrdinal, "from 1, in the step"},
                  {column::kTimeNs, kTime},
                  {column::kPhase, kText}};
  for (const auto category : metric::kCategories) {
    columns.emplace_back(category, kSize).is_optional = true;
  }
  columns.emplace_back(metric::kAllocated, kSize);
  return columns;
}

Columns rank_step_columns() {
  Columns columns =
      concatenated({{{column::kRank, kOrdinal}},
                    statistics_columns(),
                    {{column::kLagNs, kTime, "its start after the first rank's, a median"}}});
  for (const auto phase : {metric::kForward, metric::kLoss, metric::kBackward, metric::kExchange,
                           metric::kOptimizer}) {
    columns.emplace_back(phase_column(phase), kTime);
  }
  columns.emplace_back(phase_column(metric::kOther), kTime, "of a step of the user's").is_optional =
      true;
  columns.emplace_back(column::kTracedNs, kTime, "the step that was traced");
  columns.emplace_back(column::kCommunicationNs, kTime, "something was on its way");
  columns.emplace_back(column::kOverlapNs, kTime, "and the rank computed meanwhile");
  columns.emplace_back(column::kPeakAllocated, kSize, "of its GPU").is_optional = true;
  return columns;
}

Columns lane_columns() {
  Columns columns{{column::kLane, kText, "'compute' or 'communication'"},
                  {column::kPhase, kText},
                  {column::kStartNs, kTime, "from the start of the step, on the first rank"},
                  {column::kDurationNs, kTime}};
  columns.emplace_back(column::kRank, kOrdinal, "without it: 0").is_optional = true;
  return columns;
}

}  // namespace

std::string attention_column(std::string_view pass, std::string_view statistic) {
  return std::string(pass) + "_" + std::string(statistic);
}

std::string phase_column(std::string_view phase) { return std::string(phase) + "_ns"; }

const std::vector<TableShape>& table_shapes() {
  static const std::vector<TableShape> shapes{
      {metric::kKernels,
       "What the kernels of one name did in a profiled step, for each operation and phase that "
       "launched them.",
       {{column::kPhase, kText, "'forward', 'loss', 'backward', 'optimizer'"},
        {column::kModule, kText, "'layers/attn/q_proj'; empty: outside of modules"},
        {column::kOperation, kText, "the outermost ATen operator, or the range that was open"},
        {column::kOperator, kText, "the innermost ATen operator: 'aten::mm'"},
        {column::kClass, kText, "'gemm', 'elementwise', 'reduction', 'copy', …"},
        {column::kKernel, kOrdinal, "an id of `kernel_names`"},
        {column::kInstances, kNumber, "launches of the kernel"},
        {column::kTotalNs, kTime, "of all launches; the other times are of one"},
        {column::kMinNs, kTime},
        {column::kMedianNs, kTime},
        {column::kMaxNs, kTime},
        {column::kStddevNs, kTime}}},
      {metric::kKernelNames,
       "The names of kernels.",
       {{column::kId, kOrdinal}, {column::kName, kText, "with its template arguments"}}},
      {metric::kGpuTrace,
       "Each kernel of a profiled step in order of its start.",
       {{column::kAfterNs, kTime, "since the one before started"},
        {column::kDurationNs, kTime},
        {column::kRow, kOrdinal, "`i` in `kernels`"},
        {column::kBlock, kOrdinal, "of the Transformer, from 0; NULL: outside of blocks"}}},
      {metric::kTimeline,
       "The allocator's events of one step, with the bytes that each category holds.",
       timeline_columns()},
      {metric::kAllocations,
       "The allocations of one step.",
       {{column::kId, kOrdinal},
        {column::kBytes, kSize},
        {column::kMade, kOrdinal, "an event"},
        {column::kFreed, kOrdinal, "an event; NULL: it outlives the step"},
        {column::kMadeNs, kTime},
        {column::kFreedNs, kTime},
        {column::kPhase, kText},
        {column::kFreedPhase, kText},
        {column::kModule, kText},
        {column::kOperation, kText},
        {column::kOperator, kText},
        {column::kCategory, kText}}},
      {metric::kLargest,
       "The largest allocations of a forward pass; alike ones are one row.",
       {{column::kBytes, kSize, "of one"},
        {column::kCount, kNumber},
        {column::kModule, kText},
        {column::kOperation, kText},
        {column::kOperator, kText},
        {column::kCategory, kText},
        {column::kFreed, kText, "when, in words"},
        {column::kLayers, kText, "'0–31'"}}},
      {metric::kBlock,
       "What one Transformer block keeps for the backward pass; alike tensors are one row.",
       {{column::kKind, kText, "'kept'"},
        {column::kModule, kText},
        {column::kOperation, kText},
        {column::kOperator, kText},
        {column::kCategory, kText},
        {column::kBytes, kSize},
        {column::kCount, kNumber}}},
      {metric::kBlockTimeline,
       "Memory while one Transformer block runs.",
       {{column::kEvent, kOrdinal},
        {column::kTimeNs, kTime},
        {column::kPhase, kText},
        {column::kModule, kText},
        {metric::kRequested, kSize},
        {metric::kAllocated, kSize}}},
      {metric::kAttention, "Attention by itself, a row for each length.", attention_columns()},
      {metric::kDtypes,
       "The dtypes that autocast gives a small model, and what a Transformer's modules put out.",
       {{"precision", kText},
        {"group", kText, "'parameter', 'output', 'gradient', …"},
        {column::kName, kText},
        {"dtype", kText}}},
      {metric::kLayerNorm,
       "Layer normalization with statistics of lower precision; errors are relative to FP64.",
       {{"format", kText},
        {column::kMethod, kText},
        {"width", kNumber},
        {"scale_log2", kNumber},
        {"mean_error", kNumber},
        {"square_error", kNumber},
        {"variance_error", kNumber},
        {"rstd_error", kNumber},
        {"output_error", kNumber},
        {"input_overflow", kNumber},
        {"square_overflow", kNumber},
        {"sum_overflow", kNumber},
        {"underflow", kNumber}}},
      {metric::kAllReduce,
       "All-reduce, a row for each size, method and rank; times are of one call.",
       concatenated({{{column::kBytes, kSize}, {column::kMethod, kText}, {column::kRank, kOrdinal}},
                     statistics_columns(),
                     {{column::kLagNs, kTime, "its start after the first rank's, a median"},
                      {column::kWrong, kNumber, "elements that are not the sum"}}})},
      {metric::kHeld,
       "What ranks hold while they train together.",
       {{column::kRank, kOrdinal},
        {column::kStepNumber, kOrdinal, "from 1; 0: before the first"},
        {column::kPoint, kText},
        {column::kAllocatedBytes, kSize},
        {column::kPeakBytes, kSize, "since the point before"},
        {column::kParameterBytes, kSize},
        {column::kGradientBytes, kSize},
        {column::kOptimizerBytes, kSize}}},
      {metric::kGathers,
       "Gathers of sharded weights, of the rank that waited longest.",
       {{column::kLayer, kOrdinal, "from 0"},
        {column::kModule, kText},
        {column::kPhase, kText, "'forward' or 'backward'"},
        {column::kBytes, kSize},
        {column::kWaitNs, kTime, "of the pass for its weights, a median over steps"},
        {column::kAloneNs, kTime, "one gather that nothing runs beside"}}},
      {metric::kRankSteps, "Data-parallel steps, a row for each rank.", rank_step_columns()},
      {metric::kLanes, "When a rank computed and communicated in its traced step.", lane_columns()},
      {metric::kStepClasses,
       "The kernels of a rank's traced step by what they compute.",
       {{column::kRank, kOrdinal},
        {column::kClass, kText, "'gemms', 'attention', 'fused', 'communication', …"},
        {column::kInstances, kNumber, "launches of kernels"},
        {column::kTotalNs, kTime}}},
      {metric::kContention,
       "The kernels of modules in rank 0's traced step, those of all blocks together, with a "
       "collective beside them and alone.",
       {{column::kPhase, kText, "'forward' or 'backward'"},
        {column::kModule, kText, "'layers/attn/q_proj'"},
        {column::kClass, kText, "'gemm', 'elementwise', …"},
        {column::kPlace, kOrdinal, "among the module's kernels of that class, from 0"},
        {column::kBesideInstances, kNumber, "launches, with a collective for some of their time"},
        {column::kBesideTotalNs, kTime},
        {column::kCoveredNs, kTime, "in which collectives ran, too"},
        {column::kAloneInstances, kNumber, "other launches"},
        {column::kAloneTotalNs, kTime}}}};
  return shapes;
}

const TableShape* find_table_shape(std::string_view name) {
  const auto found = std::ranges::find(table_shapes(), name, &TableShape::name);
  return found == table_shapes().end() ? nullptr : &*found;
}

Table empty_table(std::string_view name, const std::vector<std::string_view>& optional_columns) {
  constexpr const char* kUnits[]{"", "", "1", "ns", "B"};  // by ColumnKind
  Table table{std::string(name), {}, {}};
  for (const ColumnShape& column : find_table_shape(name)->columns) {
    const bool is_wanted =
        !column.is_optional ||
        std::ranges::find(optional_columns, column.name) != optional_columns.end();
    if (is_wanted)
      table.columns.push_back({column.name, kUnits[static_cast<std::size_t>(column.kind)]});
  }
  return table;
}

}  // namespace labreport
