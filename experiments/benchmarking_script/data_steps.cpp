// The details of part (b): the evidence of timed steps, mode by mode.
#include <cmath>

#include "base/format.h"
#include "experiments/benchmarking_script/presenters.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr Notation kShare{Notation::kPercent};
constexpr Notation kWhole{Notation::kFixed, 0};

struct StepRow {
  const TimingGroup* group;
  std::string mode;
  TimedLaunch timed;
  std::vector<std::string> flags;

  std::vector<double> steps() const { return timed.ms_after_warmup(metric::kStep, metric::kTotal); }
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

std::vector<Column<StepRow>> labeled(std::vector<Column<StepRow>> columns) {
  columns.insert(columns.begin(),
                 {{"size", "Size", [](const StepRow& row) { return row.group->name; }},
                  {"mode", "Mode", &StepRow::mode},
                  {"context",
                   "Context",
                   [](const StepRow& row) { return row.group->context; },
                   "",
                   {Notation::kCount}}});
  return columns;
}

auto event(std::string_view phase) {
  return [phase](const StepRow& row) {
    return Value::mean_of(row.timed.ms_after_warmup(metric::kEvent, phase));
  };
}

std::optional<double> synchronization_overhead(const StepRow& row) {
  const std::vector<double> synced = row.timed.ms_after_warmup(metric::kSynced, metric::kTotal);
  if (synced.empty() || row.steps().empty()) return std::nullopt;
  const auto ratio = quotient(median(synced), median(row.steps()));
  return ratio ? std::optional(*ratio - 1) : std::nullopt;
}

const std::vector<Column<StepRow>> kEvents =
    labeled({{"forward", "Forward", event(metric::kForward), "ms"},
             {"loss", "Loss", event(metric::kLoss), "ms"},
             {"backward", "Backward", event(metric::kBackward), "ms"},
             {"optimizer", "Optimizer", event(metric::kOptimizer), "ms"},
             {"synchronizing", "Synchronization overhead", synchronization_overhead, "%", kShare}});

auto condition(std::string_view tag, std::string_view name, double unit = 1) {
  return [=](const StepRow& row) {
    const Metric* metric = row.timed.launch->find_condition(tag, name);
    const auto value = metric == nullptr ? std::nullopt : metric->number();
    return value ? Value(*value / unit) : Value();
  };
}

auto throttled_by(std::string_view limit) {
  return condition(metric::kSlowdown, limit, kNanosecondsPerMillisecond);
}

const std::vector<Column<StepRow>> kConditions = labeled(
    {{"clock", "SM clock", condition(metric::kClock, metric::kSm), "MHz", kWhole},
     {"temperature", "Temperature", condition(metric::kGpu, metric::kTemperature), "°C", kWhole},
     {"power", "Power throttling", throttled_by(metric::kPower), "ms", kWhole},
     {"thermal", "Thermal throttling", throttled_by(metric::kThermal), "ms", kWhole},
     {"others", "Other processes", condition(metric::kGpu, metric::kOtherProcesses), "", kWhole},
     {"allocations", "cudaMalloc calls", condition(metric::kGpu, metric::kDeviceAllocations), "",
      kWhole}});

}  // namespace

std::optional<double> quotient(double above, double below) {
  const double value = above / below;
  return below > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
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
