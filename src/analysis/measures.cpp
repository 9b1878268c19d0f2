#include "analysis/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "analysis/gemm_rates.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

struct MeasureInfo {
  Measure measure;
  std::string_view name;
  std::string_view words;
  std::string_view tag;             // Tag of the metric, or of an all-reduce's table.
  std::string_view metric_name;     // Empty for an all-reduce.
  std::string_view published_name;  // Name in imported runs; empty if tables do not have it.
  std::int64_t message_bytes = 0;   // Message size of an all-reduce; else 0.
};

constexpr MeasureInfo all_reduce_info(Measure measure, std::string_view name,
                                      std::string_view words, std::int64_t bytes) {
  return {measure, name, words, metric::kAllReduce, "", "", bytes};
}

constexpr std::array kMeasures{
    MeasureInfo{Measure::kStep, "step", "step", metric::kStep, metric::kTotal, metric::kTotal},
    MeasureInfo{Measure::kFirstStep, "first_step", "first step", metric::kStep, metric::kTotal, ""},
    MeasureInfo{Measure::kForward, "forward", "forward", metric::kSynced, metric::kForward,
                metric::kForward},
    MeasureInfo{Measure::kBackward, "backward", "backward", metric::kSynced, metric::kBackward,
                metric::kBackward},
    MeasureInfo{Measure::kOptimizer, "optimizer", "optimizer", metric::kSynced, metric::kOptimizer,
                metric::kOptimizer},
    MeasureInfo{Measure::kPeakMemory, "peak_memory", "peak memory", metric::kMemory,
                metric::kPeakAllocated, metric::kPeak},
    MeasureInfo{Measure::kKernelTime, "kernel_time", "kernel time", metric::kProfile, metric::kBusy,
                ""},
    MeasureInfo{Measure::kDoBench, "do_bench", "do_bench", metric::kDoBench, metric::kTotal, ""},
    all_reduce_info(Measure::kAllReduce1Kib, "all_reduce_1_kib", "1 KiB", 1 << 10),
    all_reduce_info(Measure::kAllReduce1Mb, "all_reduce_1_mb", "1 MB", 1'000'000),
    all_reduce_info(Measure::kAllReduce10Mb, "all_reduce_10_mb", "10 MB", 10'000'000),
    all_reduce_info(Measure::kAllReduce100Mb, "all_reduce_100_mb", "100 MB", 100'000'000),
    all_reduce_info(Measure::kAllReduce1Gb, "all_reduce_1_gb", "1 GB", 1'000'000'000)};

const MeasureInfo& info_of(Measure measure) {
  return kMeasures.at(static_cast<std::size_t>(measure));
}

/// Returns the slowest rank's time, by the in-place method if measured, else by the handout's; 0 if
/// the launch has neither.
double all_reduce_ns(const Launch& launch, std::int64_t bytes) {
  const std::vector<MeasuredRow> rows = measured_rows(launch, metric::kAllReduce);
  for (const auto method : {metric::kInPlace, metric::kSynced}) {
    double slowest_ns = 0;
    for (const MeasuredRow& row : rows) {
      if (row.text(column::kMethod) != method || row.number(column::kBytes) != bytes) continue;
      const auto mean = row.number(column::kMeanNs);
      slowest_ns = std::max(slowest_ns, row.number(column::kMedianNs).value_or(mean.value_or(0)));
    }
    if (slowest_ns > 0) return slowest_ns;
  }
  return 0;
}

/// Returns the launch's value of the measure, or 0 if it has none.
double launch_value(const Launch& launch, const CellSpec& spec, const MeasureInfo& info) {
  if (!is_ok(launch.outcome)) return 0;
  if (info.message_bytes > 0) return all_reduce_ns(launch, info.message_bytes);
  const Metric* metric = launch.find(info.tag, info.metric_name);
  if (metric == nullptr) return 0;
  // Only samples of whole steps begin with warm-up steps: synchronized steps run when the device is
  // warm, and sharding does not record its warm-up steps.
  const bool has_warmup =
      info.measure == Measure::kStep && metric->is_samples() && spec.kind != CellKind::kSharding;
  const std::vector<double> samples =
      after_warmup(metric->numbers(), has_warmup ? spec.warmup.value_or(0) : 0);
  return samples.empty() ? 0 : typical_time(samples);
}

constexpr std::array kDisturbances{
    std::tuple{metric::kSlowdown, metric::kThermal, "thermal slowdown"},
    std::tuple{metric::kSlowdown, metric::kHardware, "hardware slowdown"},
    std::tuple{metric::kGpu, metric::kOtherProcesses, "shared GPU"},
    std::tuple{metric::kHost, metric::kOtherProcesses, "shared CPU"},
    std::tuple{metric::kGpu, metric::kSpilled, "spilled to host memory"}};

}  // namespace

std::string_view name(Measure measure) { return info_of(measure).name; }
std::string describe(Measure measure) { return std::string(info_of(measure).words); }
std::string_view unit(Measure measure) { return measure == Measure::kPeakMemory ? "B" : "ns"; }
std::int64_t message_bytes(Measure measure) { return info_of(measure).message_bytes; }

std::vector<Measure> measures_of(const CellSpec& spec) {
  // The names of its rows tell the rung.
  if (spec.kind == CellKind::kLeaderboard) {
    return spec.repeats ? std::vector{Measure::kDoBench}
                        : std::vector{Measure::kStep, Measure::kPeakMemory};
  }
  if (is_shipped(spec)) return {};  // Its rows would be named like those of the run's network.
  if (spec.kind == CellKind::kMemory) return {Measure::kPeakMemory};
  if (spec.kind == CellKind::kKernels && spec.steps != 0) return {Measure::kKernelTime};
  if (spec.kind == CellKind::kDataParallel || spec.kind == CellKind::kSharding)
    return {Measure::kStep};
  if (spec.kind == CellKind::kAllReduce) {
    return {Measure::kAllReduce1Kib, Measure::kAllReduce1Mb, Measure::kAllReduce10Mb,
            Measure::kAllReduce100Mb, Measure::kAllReduce1Gb};
  }
  if (spec.kind != CellKind::kTiming) return {};
  if (spec.warmup == 0 && spec.steps == 1) return {Measure::kFirstStep};
  if (spec.mode == Mode::kForwardBackward) {
    return {Measure::kStep, Measure::kForward, Measure::kBackward};
  }
  if (spec.mode == Mode::kTrainStep) {
    return {Measure::kStep, Measure::kForward, Measure::kBackward, Measure::kOptimizer};
  }
  return {Measure::kStep};
}

std::vector<double> after_warmup(std::vector<double> samples, std::int64_t warmup) {
  const auto drop_count = std::min(static_cast<std::size_t>(warmup), samples.size());
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(drop_count));
  return samples;
}

std::vector<double> launch_values(const Cell& cell, Measure measure) {
  const MeasureInfo& info = info_of(measure);
  std::vector<double> values;
  for (const Launch& launch : cell.launches) {
    const double value = launch_value(launch, cell.spec, info);
    if (value > 0 && std::isfinite(value)) values.push_back(value);
  }
  if (!values.empty()) return values;
  // Only the first published number counts, because several tables are not launches of one run.
  for (const Launch& launch : cell.launches) {
    const auto number = launch.number(metric::kPublished, info.published_name);
    if (number && *number > 0) return {*number};
  }
  return {};
}

std::vector<std::string> disturbances_of(std::span<const Launch> launches) {
  std::vector<std::string> disturbances;
  for (const auto& [tag, name, words] : kDisturbances) {
    const bool any =
        std::ranges::any_of(launches, [&, tag = tag, name = name](const Launch& launch) {
          return launch.has_condition_above_zero(tag, name);
        });
    if (any) disturbances.emplace_back(words);
  }
  return disturbances;
}

Limits measured_limits(const Run& run, std::optional<std::int64_t> device) {
  Limits limits;
  const auto counts = [&](const Launch& launch) {
    return is_ok(launch.outcome) && (!device || launch.device == device);
  };
  const auto rates_of = [](const Launch& launch, std::string_view tag, std::string_view name) {
    const auto rates = launch.numbers(tag, name);
    return rates.empty() || median(rates) <= 0 ? std::vector<double>() : rates;
  };
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind != CellKind::kLimits) continue;
    for (const Launch& launch : cell.launches) {
      if (!counts(launch)) continue;
      for (const auto precision :
           {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
        const auto rates = rates_of(launch, metric::kMatrixRate, name(precision));
        if (rates.empty()) continue;
        limits.sustained_gemm_rates.try_emplace(precision, median(rates));
        double& peak = limits.peak_gemm_rates[precision];
        peak = std::max(peak, std::ranges::max(rates));
      }
      const auto bandwidths = rates_of(launch, metric::kCopy, metric::kBandwidth);
      if (!limits.copy_bandwidth && !bandwidths.empty()) limits.copy_bandwidth = median(bandwidths);
    }
  }
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind != CellKind::kKernels || !cell.spec.precision) continue;
    const auto peak = limits.peak_gemm_rates.find(*cell.spec.precision);
    if (peak == limits.peak_gemm_rates.end()) continue;
    for (const Launch& launch : cell.launches) {
      if (counts(launch))
        peak->second = std::max(peak->second, fastest_gemm_rate(cell.spec, launch).value_or(0));
    }
  }
  return limits;
}

}  // namespace labreport
