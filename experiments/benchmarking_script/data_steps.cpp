// The details of part (b): events, conditions and warnings of timed steps, mode by mode.
#include <cmath>

#include "base/format.h"
#include "experiments/benchmarking_script/presenters.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr Notation kPercent{Notation::kPercent};
constexpr Notation kNoDecimals{Notation::kFixed, 0};

/// The timed steps of one network in one mode.
struct StepRow {
  const TimingGroup* group;
  std::string mode;
  TimedLaunch timed;
  std::vector<std::string> flags;

  std::vector<double> steps_ms() const {
    return timed.ms_after_warmup(metric::kStep, metric::kTotal);
  }
};

std::vector<StepRow> step_rows(const std::vector<TimingGroup>& groups) {
  std::vector<StepRow> rows;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      const auto step = timed_launch(group, mode);
      if (step) rows.push_back({&group, std::string(describe(mode)), *step, {}});
    }
  }
  return rows;
}

std::vector<Column<StepRow>> with_labels(std::vector<Column<StepRow>> columns) {
  columns.insert(columns.begin(),
                 {{"size", "Size", [](const StepRow& row) { return row.group->name; }},
                  {"mode", "Mode", &StepRow::mode},
                  {"context", "Context", [](const StepRow& row) { return row.group->context; }, "",
                   kAsCount}});
  return columns;
}

auto mean_event_ms(std::string_view phase) {
  return [phase](const StepRow& row) {
    return Value::mean_of(row.timed.ms_after_warmup(metric::kEvent, phase));
  };
}

/// Returns how much longer a step takes if each phase is synchronized, as a fraction of the step.
std::optional<double> synchronization_overhead(const StepRow& row) {
  const std::vector<double> synced_ms = row.timed.ms_after_warmup(metric::kSynced, metric::kTotal);
  if (synced_ms.empty() || row.steps_ms().empty()) return std::nullopt;
  const auto ratio = quotient(median(synced_ms), median(row.steps_ms()));
  return ratio ? std::optional(*ratio - 1) : std::nullopt;
}

const std::vector<Column<StepRow>> kEvents = with_labels(
    {{"forward", "Forward", mean_event_ms(metric::kForward), "ms"},
     {"loss", "Loss", mean_event_ms(metric::kLoss), "ms"},
     {"backward", "Backward", mean_event_ms(metric::kBackward), "ms"},
     {"optimizer", "Optimizer", mean_event_ms(metric::kOptimizer), "ms"},
     {"synchronizing", "Synchronization overhead", synchronization_overhead, "%", kPercent}});

/// Returns a column's function that shows a recorded condition, divided by `unit`.
auto condition(std::string_view tag, std::string_view name, double unit = 1) {
  return [=](const StepRow& row) {
    const Metric* metric = row.timed.launch->find_condition(tag, name);
    const auto value = metric == nullptr ? std::nullopt : metric->number();
    return value ? Value(*value / unit) : Value();
  };
}

auto throttled_ms(std::string_view limit) {
  return condition(metric::kSlowdown, limit, kNanosecondsPerMillisecond);
}

const std::vector<Column<StepRow>> kConditions = with_labels(
    {{"clock", "SM clock", condition(metric::kClock, metric::kSm), "MHz", kNoDecimals},
     {"temperature", "Temperature", condition(metric::kGpu, metric::kTemperature), "°C",
      kNoDecimals},
     {"power", "Power throttling", throttled_ms(metric::kPower), "ms", kNoDecimals},
     {"thermal", "Thermal throttling", throttled_ms(metric::kThermal), "ms", kNoDecimals},
     {"others", "Other processes", condition(metric::kGpu, metric::kOtherProcesses), "",
      kNoDecimals},
     {"allocations", "cudaMalloc calls", condition(metric::kGpu, metric::kDeviceAllocations), "",
      kNoDecimals}});

}  // namespace

std::optional<double> quotient(double numerator, double denominator) {
  const double value = numerator / denominator;
  return denominator > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string step_words(Mode mode) {
  return std::string(describe(mode)) + (mode == Mode::kTrainStep ? "" : " step");
}

std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups) {
  if (!view.on_gpu()) return {};  // On a CPU neither events nor conditions are measured.
  std::vector<StepRow> rows = step_rows(groups);
  for (StepRow& row : rows) row.flags = disturbances(row.timed);
  return {make_dataset("events", kEvents, rows), make_dataset("conditions", kConditions, rows)};
}

std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups) {
  std::vector<std::string> lines;
  for (const StepRow& row : step_rows(groups)) {
    for (const std::string& warning : row.timed.launch->warnings) {
      lines.push_back(row.group->label + ", " + row.mode + ": " + warning);
    }
  }
  return lines;
}

}  // namespace labreport::benchmarking_script
