// Declares the tables that workers write and presenters read. table_shapes.cpp explains columns.
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
inline constexpr std::string_view kModule = "module";
inline constexpr std::string_view kOperation = "operation";
inline constexpr std::string_view kOperator = "operator";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kCount = "count";

// Columns of kernels. Times are statistics over the launches of a kernel in one step.
inline constexpr std::string_view kClass = "class";
inline constexpr std::string_view kKernel = "kernel";
inline constexpr std::string_view kInstances = "instances";
inline constexpr std::string_view kTotalNs = "total_ns";
inline constexpr std::string_view kMinNs = "min_ns";
inline constexpr std::string_view kMedianNs = "median_ns";
inline constexpr std::string_view kMaxNs = "max_ns";
inline constexpr std::string_view kStddevNs = "stddev_ns";

// Columns of single launches and of intervals.
inline constexpr std::string_view kStartNs = "start_ns";
inline constexpr std::string_view kDurationNs = "duration_ns";
inline constexpr std::string_view kAfterNs = "after_ns";
inline constexpr std::string_view kRow = "row";
inline constexpr std::string_view kBlock = "block";

// Columns of memory tables.
inline constexpr std::string_view kEvent = "event";
inline constexpr std::string_view kTimeNs = "time_ns";
inline constexpr std::string_view kCategory = "category";
inline constexpr std::string_view kMade = "made";
inline constexpr std::string_view kMadeNs = "made_ns";
inline constexpr std::string_view kFreed = "freed";  // an event; words in `largest`
inline constexpr std::string_view kFreedNs = "freed_ns";
inline constexpr std::string_view kFreedPhase = "freed_phase";
inline constexpr std::string_view kLayers = "layers";
inline constexpr std::string_view kKind = "kind";  // metric::kKept

// Columns of attention. attention_column() names its other columns.
inline constexpr std::string_view kLength = "length";
inline constexpr std::string_view kOutcome = "outcome";  // metric::kRan, …
inline constexpr std::string_view kReason = "reason";
inline constexpr std::string_view kBeforeForwardBytes = "input_bytes";
inline constexpr std::string_view kBeforeBackwardBytes = "before_backward_bytes";
inline constexpr std::string_view kPeakBytes = "peak_bytes";
inline constexpr std::string_view kRequestedBytes = "requested_bytes";
inline constexpr std::string_view kInUseBytes = "in_use_bytes";

// Columns of all-reduce. `kTimeStatistics` names its other columns.
inline constexpr std::string_view kMethod = "method";
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kMeanNs = "mean_ns";
inline constexpr std::string_view kLagNs = "lag_ns";
inline constexpr std::string_view kWrong = "wrong";

// Columns of ranks that train together, in addition to kRank.
inline constexpr std::string_view kStepNumber = "step";
inline constexpr std::string_view kPoint = "point";  // metric::kAfterModel, …
inline constexpr std::string_view kAllocatedBytes = "allocated_bytes";
inline constexpr std::string_view kParameterBytes = "parameter_bytes";
inline constexpr std::string_view kGradientBytes = "gradient_bytes";
inline constexpr std::string_view kOptimizerBytes = "optimizer_bytes";
inline constexpr std::string_view kLayer = "layer";
inline constexpr std::string_view kWaitNs = "wait_ns";
inline constexpr std::string_view kAloneNs = "alone_ns";

// Columns of a data-parallel step, in addition to kRank and `kTimeStatistics`. phase_column() names
// the column with a phase's median.
inline constexpr std::string_view kTracedNs = "traced_ns";
inline constexpr std::string_view kPeakAllocated = "peak_allocated";
inline constexpr std::string_view kCommunicationNs = "communication_ns";
inline constexpr std::string_view kOverlapNs = "both_ns";
inline constexpr std::string_view kPlace = "place";
inline constexpr std::string_view kBesideInstances = "beside";
inline constexpr std::string_view kBesideTotalNs = "beside_total_ns";
inline constexpr std::string_view kCoveredNs = "covered_ns";
inline constexpr std::string_view kAloneInstances = "alone";
inline constexpr std::string_view kAloneTotalNs = "alone_total_ns";
inline constexpr std::string_view kLane = "lane";  // metric::kCompute, metric::kCommunication

}  // namespace column

/// Returns the column of a phase's median: "backward_ns".
std::string phase_column(std::string_view phase);

/// Returns the column of a statistic of a pass: "forward_median_ns". The pass is kForward,
/// kBackward or kEndToEnd; the statistic is one of `kTimeStatistics`.
std::string attention_column(std::string_view pass, std::string_view statistic);
inline constexpr std::array<std::string_view, 6> kTimeStatistics{"count",  "mean_ns",   "stddev_ns",
                                                                 "min_ns", "median_ns", "max_ns"};

/// Tells texts and ordinals from quantities, which have a unit.
enum class ColumnKind { kText, kOrdinal, kNumber, kTime, kSize };

struct ColumnShape {
  ColumnShape(std::string_view column, ColumnKind values, const char* words = "")
      : name(column), kind(values), comment(words) {}

  std::string name;
  /// An ordinal is an id, an index or the number of an event. It has no unit, as text has none.
  ColumnKind kind;
  const char* comment;       ///< Shown by `labreport query --tables`.
  bool is_optional = false;  ///< Only tables with such values have the column.
};

struct TableShape {
  std::string_view name;
  const char* comment;
  std::vector<ColumnShape> columns;
};

/// Returns the shapes of all tables that workers write.
const std::vector<TableShape>& table_shapes();

/// Returns null for an unknown table.
const TableShape* find_table_shape(std::string_view name);

/// Returns a known table with its columns and without rows. Of optional columns, it has those
/// listed.
Table empty_table(std::string_view name,
                  const std::vector<std::string_view>& optional_columns = {});

}  // namespace labreport
