// Part (c): forward and backward in FP32 beside other precisions: times, speedups, kernels.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/present.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/command.h"
#include "experiments/common/phases.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kRatio{Notation::kFixed, 2};
constexpr std::pair<const char*, Pass Speedup::*> kPasses[]{{"forward", &Speedup::forward},
                                                            {"backward", &Speedup::backward},
                                                            {"train step", &Speedup::step}};

/// Networks in the precisions that were measured, by size.
std::vector<TimingGroup> compared_groups(const RunView& view) {
  std::vector<TimingGroup> groups = timing_groups(view);
  std::erase_if(groups, [](const TimingGroup& group) { return !group.spec.precision; });
  std::ranges::stable_sort(groups, {}, [](const TimingGroup& group) {
    return parameter_count(group.spec.model.value_or(ModelShape{}));
  });
  return groups;
}

struct TimeRow {
  std::string size;
  std::string_view precision;
  Value forward, backward, step;
  std::vector<std::string> flags;
};

const std::vector<Column<TimeRow>> kTimes{{"size", "Size", &TimeRow::size},
                                          {"precision", "Precision", &TimeRow::precision},
                                          {"forward", "Forward", &TimeRow::forward, "ms"},
                                          {"backward", "Backward", &TimeRow::backward, "ms"},
                                          {"step", "Train step", &TimeRow::step, "ms"}};

TimeRow time_row(const TimingGroup& group) {
  const Phases measured = phases(group);
  const auto shown = [&](const std::vector<double>& samples) {
    return samples.empty() ? Value::missing(missing_step(group)) : Value::mean_of(samples);
  };
  const auto step = timed(group, Mode::kTrainStep);
  return {size_of(group),
          describe(*group.spec.precision),
          shown(measured.forward),
          shown(measured.backward),
          shown(whole_step(group, Mode::kTrainStep)),
          step ? disturbances(*step) : std::vector<std::string>()};
}

std::optional<std::string_view> bound_of(const TimingGroup* group) {
  const auto step = fullest(*group);
  const auto found = step ? bound(*step) : std::nullopt;
  return found ? std::optional(describe(*found)) : std::nullopt;
}

Column<Speedup> speedup_column(const char* name, const char* title, Pass Speedup::* pass) {
  const auto value = [pass](const Speedup& row) { return (row.*pass).speedup_value(); };
  return {name, title, value, "×", kRatio};
}

const std::vector<Column<Speedup>> kSpeedups{
    {"size", "Size", &Speedup::size},
    {"precision", "Precision", [](const Speedup& row) { return describe(row.precision); }},
    {"parameters", "Parameters", &Speedup::parameters, "", {Notation::kCount}},
    speedup_column("forward", "Forward", &Speedup::forward),
    speedup_column("backward", "Backward", &Speedup::backward),
    speedup_column("step", "Train step", &Speedup::step),
    {"base_bound", "FP32 is", [](const Speedup& row) { return bound_of(row.base); }},
    {"bound", "Reduced precision is", [](const Speedup& row) { return bound_of(row.reduced); }}};

/// One pass of one network in one precision.
struct PassRow {
  std::string size, pass, lane;
  std::string_view precision;
  Value time, speedup;
  std::optional<std::string_view> bound;
};

const std::vector<Column<PassRow>> kPassRows{
    {"size", "Size", &PassRow::size},       {"pass", "Pass", &PassRow::pass},
    {"lane", "Lane", &PassRow::lane},       {"precision", "Precision", &PassRow::precision},
    {"time", "Time", &PassRow::time, "ms"}, {"speedup", "Speedup", &PassRow::speedup, "×", kRatio},
    {"bound", "Bound", &PassRow::bound}};

/// Forward and backward in each precision; the first other precision's speedup stands with FP32.
std::vector<PassRow> pass_times(const std::vector<Speedup>& rows) {
  std::vector<PassRow> found;
  for (const Speedup& row : rows) {
    for (const auto& [name, pass] : std::span(kPasses).first(2)) {
      const std::string lane = row.size + ", " + name;
      const auto add = [&](const TimingGroup& group, const std::vector<double>& samples,
                           const Value& speedup) {
        const Value time =
            samples.empty() ? Value::missing(missing_step(group)) : Value(mean(samples));
        found.push_back({row.size, name, lane, describe(*group.spec.precision), time, speedup, {}});
      };
      const Pass& measured = row.*pass;
      if (std::ranges::find(found, lane, &PassRow::lane) == found.end()) {
        add(*row.base, measured.base, measured.speedup_value());
      }
      add(*row.reduced, measured.reduced, {});
    }
  }
  return found;
}

/// The speedups of the precision that answers speak of.
std::vector<PassRow> pass_speedups(const std::vector<Speedup>& rows) {
  std::vector<PassRow> found;
  for (const auto& [name, pass] : kPasses) {
    for (const Speedup& row : of_first_precision(rows, pass)) {
      found.push_back({row.size,
                       name,
                       "",
                       describe(row.precision),
                       {},
                       (row.*pass).speedup_value(),
                       bound_of(row.reduced)});
    }
  }
  return found;
}

struct KernelRow {
  std::string size, pass;
  std::string_view precision;
  KernelTime time;
};

const std::vector<Column<KernelRow>> kKernels{
    {"size", "Size", &KernelRow::size},
    {"pass", "Pass", &KernelRow::pass},
    {"precision", "Precision", &KernelRow::precision},
    {"gemms", "GEMMs", [](const KernelRow& row) { return row.time.gemm; }, "ms"},
    {"copies", "Copies and casts", [](const KernelRow& row) { return row.time.copies; }, "ms"},
    {"others", "All others", [](const KernelRow& row) { return row.time.others; }, "ms"},
    {"share",
     "GEMMs' share",
     [](const KernelRow& row) { return row.time.gemm_share(); },
     "%",
     {Notation::kPercent}},
    {"launched",
     "Launches",
     [](const KernelRow& row) { return row.time.launched; },
     "",
     {Notation::kCount}}};

/// Of passes that were profiled in both precisions.
std::vector<KernelRow> kernel_rows(const std::vector<Speedup>& rows) {
  std::vector<KernelRow> found;
  for (const Speedup& row : rows) {
    for (const auto& [name, pass] : std::span(kPasses).first(2)) {
      const Pass& measured = row.*pass;
      if (!measured.kernels || !measured.reduced_kernels) continue;
      found.push_back({row.size, name, describe(Precision::kFp32), *measured.kernels});
      found.push_back({row.size, name, describe(row.precision), *measured.reduced_kernels});
    }
  }
  return found;
}

/// The fullest cell of each network.
std::vector<NamedCell> named_cells(const std::vector<TimingGroup>& groups) {
  std::vector<NamedCell> cells;
  for (const TimingGroup& group : groups) {
    const auto& [mode, cell] = *group.cells.rbegin();  // Modes are ordered by content.
    cells.push_back({group.label + ", " + std::string(describe(mode)), cell});
  }
  return cells;
}

std::optional<PartContent> present_speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = compared_groups(view);
  const std::vector<Speedup> rows = speedups(view, groups);
  // Without a second precision the benchmarking problem has shown these networks already.
  if (rows.empty()) return std::nullopt;
  std::vector<TimeRow> times;
  std::ranges::transform(groups, std::back_inserter(times), time_row);
  PartContent part;
  part.facts = speedup_facts(view, rows, groups);
  part.cells = cells_of(groups);
  part.datasets = {make_dataset("times", kTimes, times), make_dataset("speedups", kSpeedups, rows),
                   make_dataset("precision-speedup", kPassRows, pass_speedups(rows)),
                   make_dataset("kernels", kKernels, kernel_rows(rows))};
  const bool any = !part.datasets[2].rows.empty();
  if (any) part.datasets.push_back(make_dataset("precision-times", kPassRows, pass_times(rows)));
  part.drawer.tables = {
      bounds_table(view, groups, Mode::kTrainStep),
      commands_table(view.run(), kProblem + std::string(".c"), named_cells(groups))};
  return part;
}

/// The largest speedup of a forward or backward pass, if one became faster at all.
std::vector<Glance> best_speedup(const RunView& view) {
  const std::vector<TimingGroup> groups = compared_groups(view);
  std::vector<Glance> best;
  double most = 1;
  for (const Speedup& row : speedups(view, groups)) {
    for (const auto& [name, pass] : std::span(kPasses).first(2)) {
      const auto& speedup = (row.*pass).speedup;
      if (!row.backward.speedup || !speedup || speedup->value <= most) continue;
      most = speedup->value;
      const std::string precision(describe(row.precision));
      best = {{"Best " + precision + " speedup, " + row.size + ", " + name,
               format_value((row.*pass).speedup_value(), kRatio) + " ×",
               std::string(kProblem) + "-c"}};
    }
  }
  return best;
}

}  // namespace

Presentation present(const RunView& view) {
  Presentation shown;
  if (auto part = present_dtypes(view)) shown.parts.emplace("a", std::move(*part));
  if (auto part = present_layer_norm(view)) shown.parts.emplace("b", std::move(*part));
  if (auto part = present_speedups(view)) shown.parts.emplace("c", std::move(*part));
  if (!shown.parts.empty()) shown.glance = best_speedup(view);
  return shown;
}

}  // namespace labreport::benchmarking_mixed_precision
