#include "results/run_rules.h"

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::array<std::string_view, 8> kUnits{"ns", "B", "B/s", "flop/s", "MHz", "°C", "1", ""};
/// Fractions of these units are never measured, so a number is 0 or at least 1.
constexpr std::array<std::string_view, 5> kWholeUnits{"ns", "B", "B/s", "flop/s", "MHz"};

/// A metric with a tag in kStepTags and a name in kStepNames is at least 1 ns.
constexpr std::array kStepTags{metric::kStep, metric::kEnqueue, metric::kEvent, metric::kSynced};
constexpr std::array kStepNames{metric::kTotal, metric::kEnqueue, metric::kForward,
                                metric::kBackward};
constexpr std::array kAllocatorTags{metric::kMemory, metric::kHistory};
constexpr std::array kAtLeastOneTags{
    metric::kPeak,      metric::kPeakRequested, metric::kResidual,      metric::kMatrixRate,
    metric::kCopy,      metric::kPublished,     metric::kForwardPasses, metric::kBackwardPasses,
    metric::kAllReduce, metric::kCompile};
constexpr std::array kAtLeastOneColumns{
    column::kCount,         column::kInstances,          column::kLength,
    column::kBytes,         column::kTracedNs,           column::kAloneNs,
    column::kPeakBytes,     column::kBeforeForwardBytes, column::kBeforeBackwardBytes,
    column::kAllocatedBytes};
constexpr std::array kStatisticSuffixes{column::kMinNs, column::kMedianNs, column::kMeanNs,
                                        column::kMaxNs, column::kTotalNs};
constexpr std::array kNotNegativeTags{metric::kAttentionError, metric::kEquality, metric::kFlops};

constexpr ConstantTable<std::string_view, std::string_view, 38> kTagUnits{
    {{metric::kStep, "ns"},
     {metric::kEvent, "ns"},
     {metric::kSynced, "ns"},
     {metric::kEnqueue, "ns"},
     {metric::kStartUp, "ns"},
     {metric::kCompile, "ns"},
     {metric::kSlowdown, "ns"},
     {metric::kProfile, "ns"},
     {metric::kBusy, "ns"},
     {metric::kRuntime, "ns"},
     {metric::kFirstLaunches, "ns"},
     {metric::kMemory, "B"},
     {metric::kResident, "B"},
     {metric::kPeak, "B"},
     {metric::kPeakRequested, "B"},
     {metric::kHistory, "B"},
     {metric::kCategory, "B"},
     {metric::kRounding, "B"},
     {metric::kResidual, "B"},
     {metric::kAlternativePeaks, "B"},
     {metric::kBlock, "B"},
     {metric::kMatrixRate, "flop/s"},
     {metric::kCopy, "B/s"},
     {metric::kRunningSum, "1"},
     {metric::kPublishedStddev, "ns"},
     {metric::kForwardPasses, "ns"},
     {metric::kBackwardPasses, "ns"},
     {metric::kForwardPeak, "B"},
     {metric::kBackwardPeak, "B"},
     {metric::kRefusedReserved, "B"},
     {metric::kAttentionError, "1"},
     {metric::kLosses, "1"},
     {metric::kCheckpoints, "B"},
     {metric::kAllReduce, "ns"},
     {metric::kSkew, "ns"},
     {metric::kEquality, "1"},
     {metric::kFlops, "1"},
     {metric::kOccurrences, "1"}}};

constexpr std::array<std::string_view, 6> kCountNames{
    metric::kDeviceAllocations, metric::kKernels, metric::kEvents,
    metric::kLostEvents,        metric::kCalls,   metric::kOtherProcesses};

bool is_in(auto list, std::string_view name) { return std::ranges::find(list, name) != list.end(); }

}  // namespace

bool is_known_unit(std::string_view unit) { return is_in(kUnits, unit); }

ValueRange range_of_metric(const Metric& metric) {
  const auto& [tag, name, unit, data, reason] = metric;
  if (tag == metric::kPublishedStddev || is_in(kCountNames, name) || is_in(kNotNegativeTags, tag))
    return ValueRange::kNotNegative;
  if (!is_in(kWholeUnits, unit)) return ValueRange::kAny;
  const bool is_step_part = is_in(kStepTags, tag) && is_in(kStepNames, name);
  const bool is_peak = is_in(kAllocatorTags, tag) && name.starts_with("peak");
  const bool is_total_time = name == metric::kTotal && unit == "ns";
  const bool is_positive = is_step_part || is_peak || is_total_time || is_in(kAtLeastOneTags, tag);
  return is_positive ? ValueRange::kAtLeastOne : ValueRange::kZeroOrAtLeastOne;
}

ValueRange range_of_column(std::string_view table, const TableColumn& column) {
  const auto& [name, unit] = column;
  if (name.ends_with(column::kStddevNs)) return ValueRange::kNotNegative;
  const bool is_known_table = !required_columns(table).empty();
  const bool is_statistic =
      std::ranges::any_of(kStatisticSuffixes, [&](auto suffix) { return name.ends_with(suffix); });
  if (is_known_table && (is_statistic || is_in(kAtLeastOneColumns, name)))
    return ValueRange::kAtLeastOne;
  if (is_in(kWholeUnits, unit)) return ValueRange::kZeroOrAtLeastOne;
  return is_known_table && name != "scale_log2" ? ValueRange::kNotNegative : ValueRange::kAny;
}

bool is_within(ValueRange range, double number) {
  switch (range) {
    case ValueRange::kAny:
      return true;
    case ValueRange::kNotNegative:
      return number >= 0;
    case ValueRange::kZeroOrAtLeastOne:
      return number == 0 || number >= 1;
    case ValueRange::kAtLeastOne:
      break;
  }
  return number >= 1;
}

std::string_view describe(ValueRange range) {
  constexpr Names<ValueRange, 4> kWords{{{ValueRange::kAny, "a number"},
                                         {ValueRange::kNotNegative, "no negative number"},
                                         {ValueRange::kZeroOrAtLeastOne, "0 or at least 1"},
                                         {ValueRange::kAtLeastOne, "at least 1"}}};
  return name_in(kWords, range);
}

const std::vector<OrderedPair>& ordered_metrics() {
  static const std::vector<OrderedPair> pairs = [] {
    std::vector<OrderedPair> all{{"memory.peak_requested", "memory.peak_allocated"},
                                 {"memory.peak_allocated", "memory.peak_reserved"},
                                 {"memory.parameters", "memory.peak_allocated"},
                                 {"history.peak_requested", "history.peak_allocated"},
                                 {"resident.requested", "resident.allocated"},
                                 {"residual.requested", "residual.allocated"},
                                 {"profile.busy", "profile.span"},
                                 {"step.enqueue", "step.total"},
                                 {"all_reduces.largest", "all_reduces.total"}};
    for (const std::string phase : {"forward", "loss", "backward", "optimizer", "other"}) {
      all.emplace_back("synced." + phase, "synced.total");
      all.emplace_back("peak_requested." + phase, "peak." + phase);
      all.emplace_back("resident.allocated", "peak." + phase);
      all.emplace_back("resident.requested", "peak_requested." + phase);
    }
    return all;
  }();
  return pairs;
}

const std::vector<OrderedPair>& ordered_columns() {
  static const std::vector<OrderedPair> pairs = [] {
    std::vector<OrderedPair> all{{"both_ns", "communication_ns"},
                                 {"communication_ns", "traced_ns"},
                                 {"input_bytes", "before_backward_bytes"},
                                 {"before_backward_bytes", "peak_bytes"},
                                 {"parameter_bytes", "allocated_bytes"},
                                 {"gradient_bytes", "allocated_bytes"},
                                 {"optimizer_bytes", "allocated_bytes"},
                                 {"allocated_bytes", "peak_bytes"},
                                 {"made", "freed"},
                                 {"made_ns", "freed_ns"},
                                 {"requested", "allocated"}};
    for (const std::string pass : {"", "forward_", "backward_", "end_to_end_"}) {
      for (const std::string middle : {"median_ns", "mean_ns"}) {
        all.emplace_back(pass + "min_ns", pass + middle);
        all.emplace_back(pass + middle, pass + "max_ns");
      }
    }
    return all;
  }();
  return pairs;
}

std::string_view required_unit(std::string_view tag, std::string_view name) {
  const std::string_view* unit = look_up(kTagUnits, tag);
  if (unit == nullptr || is_in(kCountNames, name)) return "";
  return *unit;
}

std::string_view describe(ColumnType type) {
  constexpr Names<ColumnType, 3> kWords{{{ColumnType::kNumber, "numbers"},
                                         {ColumnType::kText, "text"},
                                         {ColumnType::kBoolean, "true or false"}}};
  return name_in(kWords, type);
}

std::optional<ColumnType> type_of(const Scalar& value) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  if (std::holds_alternative<std::string>(value)) return ColumnType::kText;
  if (std::holds_alternative<bool>(value)) return ColumnType::kBoolean;
  return ColumnType::kNumber;
}

std::vector<std::string_view> required_columns(std::string_view table) {
  std::vector<std::string_view> columns;
  const TableShape* shape = find_table_shape(table);
  if (shape == nullptr) return columns;
  for (const ColumnShape& column : shape->columns) {
    if (!column.is_optional) columns.emplace_back(column.name);
  }
  return columns;
}

std::optional<ColumnType> required_type(std::string_view table, std::string_view column) {
  const TableShape* shape = find_table_shape(table);
  if (shape == nullptr) return std::nullopt;
  const auto known = std::ranges::find(shape->columns, column, &ColumnShape::name);
  if (known != shape->columns.end())
    return known->kind == ColumnKind::kText ? ColumnType::kText : ColumnType::kNumber;
  // Other columns of a timeline hold the bytes of a category.
  return table == metric::kTimeline ? std::optional(ColumnType::kNumber) : std::nullopt;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_length(text.substr(i)) > 0) return true;
  }
  return false;
}

}  // namespace labreport
