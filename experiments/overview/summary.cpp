// The summary: where the time of a training step goes, what BF16 changes, how near each size comes
// to the GPU's peak.
#include <span>

#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/waterfall.h"
#include "embedded/experiments.h"
#include "experiments/benchmarking_mixed_precision/dtype_trace.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"
#include "experiments/common/kernel_profiles.h"
#include "experiments/common/ladder.h"
#include "experiments/common/launch_costs.h"
#include "experiments/common/less_work.h"
#include "experiments/common/ratio.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/overview/overview.h"
#include "plan/arithmetic.h"
#include "plan/datasheet.h"
#include "plan/part_work.h"
#include "results/metric_names.h"

namespace labreport::overview {
namespace {

using benchmarking_mixed_precision::MeasuredNetwork;
using benchmarking_mixed_precision::PrecisionPair;

constexpr Notation kMilliseconds{Notation::kSignificant, 4};
constexpr Notation kSpeedup{Notation::kSignificant, 3};
constexpr Notation kChange{Notation::kFixed, 1};
constexpr double kMega = 1e6;
constexpr double kTeraFlops = 1e12;

/// A network's training steps in one precision.
struct StepRow {
  const MeasuredNetwork* network;
  TimedLaunch step;
  /// The launch whose peak memory counts. It is the memory problem's if that measured the step, so
  /// that all pages tell the same peak.
  const Launch* memory_launch;
  std::string device;
  const Launch* counted;                     ///< See `counted_launch`.
  std::optional<double> flops, utilization;  ///< See `flops_of_step` and `flops_utilization`.
  std::optional<double> fastest_gemm_rate;   ///< The run's, in FLOP/s.
  std::vector<std::string> flags = {};

  const CellSpec& spec() const { return network->group->spec; }
  std::string size() const { return network->size_label(); }
  std::string_view precision() const { return network->precision(); }
  double step_ms() const { return network->step.typical_ms(); }
  std::optional<double> teraflops() const {
    return flops ? std::optional(*flops / kTeraFlops) : std::nullopt;
  }
  std::optional<double> teraflops_per_second() const {
    return flops ? std::optional(*flops / (step_ms() / 1e3) / kTeraFlops) : std::nullopt;
  }
  std::optional<double> million_parameters() const {
    if (const auto known = known_parameter_count(spec()))
      return static_cast<double>(*known) / kMega;
    const auto elements = counted == nullptr
                              ? std::nullopt
                              : single_number(*counted, metric::kFlops, metric::kParameters);
    return elements ? std::optional(*elements / kMega) : std::nullopt;
  }
  /// Names the kernels and operators whose FLOPs were not counted; empty if there are none.
  std::string hidden_in() const {
    const Metric* names =
        counted == nullptr ? nullptr : counted->find(metric::kHidden, metric::kFlops);
    return names == nullptr ? "" : std::get<std::string>(std::get<Scalar>(names->data));
  }
  /// Returns "FP32 parameters, FP32 buffers and BF16 GEMMs"; empty if no step was counted.
  std::string dtypes() const {
    const auto trace = benchmarking_mixed_precision::dtype_trace(counted);
    std::vector<std::string> words;
    for (const auto& [group, noun] : {std::pair{metric::kParameter, " parameters"},
                                      {metric::kBuffer, " buffers"},
                                      {metric::kProduct, " GEMMs"}}) {
      const auto dtypes = trace.dtypes_of(name(*spec().precision), group);
      if (dtypes != "–") words.push_back(dtypes + noun);
    }
    return join_words(words);
  }
  Value note() const {
    return hidden_in().empty() ? Value() : Value("FLOPs without " + hidden_in());
  }
  std::optional<double> tokens_per_second() const {
    if (!takes_batch(*step.launch)) return std::nullopt;
    return static_cast<double>(*spec().batch * *spec().context) / (step_ms() / 1e3);
  }
  std::optional<double> datasheet_rate() const { return datasheet_peak(device, *spec().precision); }
  /// Returns nothing without a data sheet, because `utilization` is this share then.
  std::optional<double> share_of_fastest_gemm() const {
    if (!flops || !fastest_gemm_rate || !datasheet_rate()) return std::nullopt;
    return *flops / (step_ms() / 1e3) / *fastest_gemm_rate;
  }
  double peak_bytes() const {  ///< 0 if not measured.
    const Metric* peak = memory_launch->find(metric::kMemory, metric::kPeakAllocated);
    return peak == nullptr ? 0 : peak->number().value_or(0);
  }
};

const std::vector<Column<StepRow>> kSteps{
    {"size", "Size", [](const StepRow& row) { return row.spec().size; }},
    {"precision", "Precision", &StepRow::precision},
    {"context", "Context", [](const StepRow& row) { return row.network->group->context; }, "",
     kAsCount},
    {"parameters", "Parameters", &StepRow::million_parameters, "M"},
    {"flops", "FLOPs", &StepRow::teraflops, "TFLOP"},
    {"step", "Step", &StepRow::step_ms, "ms"},
    {"tokens", "Tokens/s", &StepRow::tokens_per_second},
    {"rate", "Rate",
     [](const StepRow& row) { return row.counted ? Value(row.teraflops_per_second()) : Value(); },
     "TFLOP/s"}};

/// Shows peaks in GiB, or in MiB if all are below 1 GiB, as in a demonstration.
Dataset steps_dataset(const std::vector<StepRow>& rows, const std::string& utilization) {
  const bool in_gib = largest(rows, &StepRow::peak_bytes)->peak_bytes() >= kBytesPerGibibyte;
  std::vector<Column<StepRow>> columns = kSteps;
  columns.push_back({"mfu", utilization, &StepRow::utilization, "%", kAsPercent});
  columns.push_back(
      {"of_fastest", "Of the fastest GEMM", &StepRow::share_of_fastest_gemm, "%", kAsPercent});
  columns.push_back({"dtypes", "Dtypes", [](const StepRow& row) {
                       return row.counted ? Value(row.dtypes()) : Value();
                     }});
  columns.push_back({"note", "Note", &StepRow::note});
  columns.push_back(
      {"peak",
       "Peak memory",
       [](const StepRow& row) { return row.peak_bytes() > 0 ? Value(row.peak_bytes()) : Value(); },
       in_gib ? "GiB" : "MiB",
       {in_gib ? Notation::kGibibytes : Notation::kMebibytes}});
  return make_dataset("steps", columns, rows);
}

std::vector<StepRow> step_rows(const RunView& view, const std::vector<MeasuredNetwork>& networks) {
  std::vector<StepRow> rows;
  const Limits limits = measured_limits(view.run());
  for (const MeasuredNetwork& network : networks) {
    const auto step = timed_launch(*network.group, Mode::kTrainStep);
    if (network.step.times_ms.empty() || !step) continue;
    const Cell* memory = view.cell(CellKind::kMemory, [&](const CellSpec& spec) {
      return same_setting(spec, *step->spec) && spec.mode == step->spec->mode;
    });
    const Launch* memory_launch = memory == nullptr ? nullptr : ok_launch(*memory);
    rows.push_back({.network = &network,
                    .step = *step,
                    .memory_launch = memory_launch == nullptr ? step->launch : memory_launch,
                    .device = view.device() == nullptr ? "" : view.device()->name,
                    .counted = counted_launch(view, *step->spec),
                    .flops = flops_of_step(view, *step->spec),
                    .utilization = flops_utilization(view, *step),
                    .fastest_gemm_rate = {}});
    const auto fastest = limits.peak_gemm_rates.find(*step->spec->precision);
    if (fastest != limits.peak_gemm_rates.end()) rows.back().fastest_gemm_rate = fastest->second;
    if (has_outlier(network.step.times_ms)) rows.back().flags = {"mean without a stalled step"};
  }
  return rows;
}

/// The time of one training step by use: the kernels (on a CPU, operators) of its profile, and the
/// idle time that they leave of the unprofiled step.
struct StepTime {
  double gemms_ms, others_ms, optimizer_ms, idle_ms;
};

using StepPart = std::pair<const char*, double StepTime::*>;
constexpr StepPart kOnGpu[]{{"GEMMs", &StepTime::gemms_ms},
                            {"other kernels", &StepTime::others_ms},
                            {"optimizer", &StepTime::optimizer_ms},
                            {"GPU idle", &StepTime::idle_ms}};
constexpr StepPart kOnCpu[]{{"GEMMs", &StepTime::gemms_ms},
                            {"other operators", &StepTime::others_ms},
                            {"optimizer", &StepTime::optimizer_ms},
                            {"outside operators", &StepTime::idle_ms}};

/// Returns the profile that splits the network's unprofiled step; null if there is none, or if its
/// kernels take over 2 % longer than that step, because then they are no breakdown of it.
const KernelProfile* profile_of_step(const std::vector<KernelProfile>& profiles,
                                     const MeasuredNetwork& network) {
  constexpr double kMaxBusyRatio = 1.02;
  const auto profile = std::ranges::find_if(profiles, [&](const KernelProfile& each) {
    return same_setting(each.spec, network.group->spec);
  });
  if (profile == profiles.end() || network.step.times_ms.empty()) return nullptr;
  const double busy_ms = total_ms(profile->rows(Pass::kTrainStep));
  const bool splits = busy_ms <= kMaxBusyRatio * network.step.typical_ms();
  return splits && !profile->rows(Pass::kOptimizer).empty() ? &*profile : nullptr;
}

std::optional<StepTime> step_time(const std::vector<KernelProfile>& profiles,
                                  const MeasuredNetwork& network) {
  const KernelProfile* profile = profile_of_step(profiles, network);
  if (profile == nullptr) return std::nullopt;
  const auto rows = profile->rows(Pass::kTrainStep);
  const auto optimizer = profile->rows(Pass::kOptimizer);
  const double gemms_ms = total_ms(matching(rows, is_gemm)), busy_ms = total_ms(rows);
  const double step_ms = network.step.typical_ms();
  return StepTime{.gemms_ms = gemms_ms,
                  .others_ms = busy_ms - gemms_ms - total_ms(optimizer),
                  .optimizer_ms = total_ms(optimizer),
                  .idle_ms = std::max(0.0, step_ms - busy_ms)};
}

void add_step_bars(std::vector<WaterfallBar>& bars, std::span<const StepPart> parts,
                   std::string_view precision, const StepTime& step) {
  const std::string name = std::string(precision) + " step";
  double end_ms = 0;
  for (const auto& [part, member] : parts) {
    bars.push_back({name, part, end_ms, end_ms + step.*member, ""});
    end_ms = bars.back().to_ms;
  }
  bars.back().text = format_value(end_ms, kMilliseconds) + " ms";
}

std::vector<WaterfallBar> waterfall_bars(const PrecisionPair& pair, const StepTime& fp32,
                                         const StepTime& other) {
  std::vector<WaterfallBar> bars;
  const bool on_cpu = pair.other->group->spec.device == DeviceKind::kCpu;
  const std::span<const StepPart> parts = on_cpu ? std::span(kOnCpu) : std::span(kOnGpu);
  add_step_bars(bars, parts, pair.fp32->precision(), fp32);
  double end_ms = bars.back().to_ms;
  for (const auto& [part, member] : parts) {
    const double change_ms = other.*member - fp32.*member;
    bars.push_back({part, part, end_ms, end_ms + change_ms,
                    (change_ms > 0 ? "+" : "") + format_value(change_ms, kChange) + " ms"});
    end_ms += change_ms;
  }
  add_step_bars(bars, parts, pair.other->precision(), other);
  return bars;
}

/// Returns a time's notation in a sentence: three significant digits, but whole milliseconds.
Notation in_prose(double ms) { return {Notation::kSignificant, ms < 1000 ? 3 : 4}; }

/// True if the change of the GEMMs' time makes up nine tenths of the time that the pair saves.
bool is_saved_by_gemms(const PrecisionPair& pair, const StepTime& fp32, const StepTime& other) {
  const double saved_ms = pair.fp32->step.typical_ms() - pair.other->step.typical_ms();
  return saved_ms > 0 && pair.speedup(&MeasuredNetwork::step)->is_clear() &&
         fp32.gemms_ms - other.gemms_ms >= 0.9 * saved_ms;
}

Facts pair_facts(const PrecisionPair& pair) {
  const double fp32_ms = pair.fp32->step.typical_ms();
  const double other_ms = pair.other->step.typical_ms();
  const Ratio speedup = *pair.speedup(&MeasuredNetwork::step);
  return Facts()
      .set("size", pair.size_label())
      .set("precision", pair.precision())
      .set("fp32", fp32_ms, in_prose(fp32_ms))
      .set("other", other_ms, in_prose(other_ms))
      .set("change", !speedup.is_clear() ? "a difference within one standard deviation"
                     : speedup.value < 1
                         ? format_value(1 / speedup.value, kSpeedup) + " times as long"
                         : "a speedup of " + stated_ratio(speedup, kSpeedup) + "×");
}

/// Tells how long the GPU idles in a step whose time it sets; nothing for other steps. The step was
/// timed twice: in a process of its own, and in that of its profile.
std::optional<Facts> idle_facts(const RunView& view, const PrecisionPair& pair,
                                const StepTime& step, const KernelProfile& profile) {
  const auto costs = network_bounds(view, *pair.other->group).step.costs;
  if (!costs || !costs->gpu_idle_us()) return std::nullopt;
  double least_ms = step.idle_ms, most_ms = step.idle_ms;
  const auto profiled_ms = profile.step->samples_ms(metric::kStep, metric::kTotal);
  const auto busy_ms = profile.step->value_ms(metric::kProfile, metric::kBusy);
  if (!profiled_ms.empty() && busy_ms) {
    const double idle_ms = std::max(0.0, mean(profiled_ms) - *busy_ms);
    least_ms = std::min(least_ms, idle_ms), most_ms = std::max(most_ms, idle_ms);
  }
  const auto range = [](double least, double most, int digits) {
    return from_to(format_significant(least, digits), format_significant(most, digits));
  };
  const double ms_to_us_each = kMicrosecondsPerMillisecond / costs->launches;
  return Facts()
      .set("precision", pair.precision())
      .set("ms", range(least_ms, most_ms, 3))
      .set("each", range(least_ms * ms_to_us_each, most_ms * ms_to_us_each, 2))
      .set("kernels", costs->launches, kAsCount);
}

/// Lists the data sheet's peaks by which the utilization divides: "FP32 67, BF16 989.5 TFLOP/s".
std::optional<Facts> datasheet_facts(const std::vector<StepRow>& rows) {
  std::vector<std::string> peaks;
  for (const StepRow& row : rows) {
    if (!row.datasheet_rate() || !row.utilization) continue;
    peaks.push_back(std::string(row.precision()) + " " +
                    format_value(*row.datasheet_rate() / kTeraFlops, {Notation::kNoTrailingZeros}));
  }
  if (peaks.empty()) return std::nullopt;
  return Facts().set("peaks", join(distinct(peaks), ", ") + " TFLOP/s");
}

/// Lists the times that the CPU sets, by precision.
std::vector<Facts> cpu_set_facts(const std::vector<StepRow>& rows) {
  std::map<std::string_view, benchmarking_mixed_precision::MeasuredNetworks> networks;
  for (const StepRow& row : rows) networks[row.precision()].push_back(*row.network);
  std::vector<Facts> list;
  for (const auto& [precision, measured] : networks) {
    const std::string times = times_of_cpu(measured);
    if (!times.empty()) list.emplace_back().set("precision", precision).set("times", times);
  }
  return list;
}

std::optional<Facts> memory_facts(const std::vector<StepRow>& rows) {
  const StepRow& highest = *largest(rows, &StepRow::peak_bytes);
  const auto parameters = known_parameter_count(*highest.step.spec);
  if (highest.peak_bytes() <= 0 || !parameters) return std::nullopt;
  // Gradients come while activations go, so not all of them are there at the peak.
  constexpr double kStateBytes = 12;  // of an FP32 parameter and its two moments
  return Facts()
      .set("size", highest.size())
      .set("precision", highest.precision())
      .set("peak", format_bytes_briefly(highest.peak_bytes()))
      .set("resident", format_bytes_briefly(kStateBytes * static_cast<double>(*parameters)));
}

void set_facts(const RunView& view, PartContent& part, const std::vector<StepRow>& rows,
               const PrecisionPair* pair, const std::optional<StepTime>& fp32,
               const std::optional<StepTime>& other, const KernelProfile* profile) {
  const bool profiled = pair != nullptr && fp32 && other;
  const bool by_gemms = profiled && is_saved_by_gemms(*pair, *fp32, *other);
  std::optional<Facts> compared, explained, idle;
  if (pair != nullptr) {
    compared = pair_facts(*pair).when(
        "gemms", by_gemms,
        by_gemms ? Facts()
                       .set("before", fp32->gemms_ms, in_prose(fp32->gemms_ms))
                       .set("after", other->gemms_ms, in_prose(other->gemms_ms))
                 : Facts());
  }
  if (by_gemms) explained = compared;
  if (profiled && view.on_gpu()) idle = idle_facts(view, *pair, *other, *profile);
  part.facts.when("compared", compared)
      .when("explained", explained)
      .when("idle", idle)
      .when("datasheet", datasheet_facts(rows))
      .list("cpu_set", cpu_set_facts(rows))
      .when("memory", memory_facts(rows));
}

/// Names the three changes that help most; nothing if the run has no ladder.
std::optional<Facts> advice_facts(const RunView& view) {
  const std::vector<Ladder> all = ladders(view);
  const Ladder* ladder = advised_ladder(all);
  if (ladder == nullptr) return std::nullopt;
  const std::vector<Gain> largest = largest_gains(*ladder, 3);
  if (largest.empty()) return std::nullopt;
  const std::vector<std::string> changes = each(largest, [](const Gain& gain) {
    return gain.after->change + " (" + gain.saved_digits() + " ms)";
  });
  const double first_ms = ladder->first_run()->mean_ms(), fastest_ms = ladder->fastest()->mean_ms();
  const auto speedup = ladder->speedup();
  return Facts()
      .set("words", ladder->words)
      .set("changes", join_words(changes))
      .when("together", speedup && speedup->is_certain(),
            Facts()
                .set("from", first_ms, in_prose(first_ms))
                .set("to", fastest_ms, in_prose(fastest_ms)));
}

/// Tells what a user's network computes; nothing if that was not counted or no peak was measured.
std::optional<Facts> counted_facts(const StepRow& row) {
  if (row.counted == nullptr || !row.flops || !row.utilization) return std::nullopt;
  return Facts()
      .set("size", row.size())
      .set("precision", row.precision())
      .set("rate", *row.teraflops_per_second(), kThreeDigits)
      .set("share", *row.utilization, kAsPercent)
      .set("dtypes", row.dtypes())
      .when("hidden", !row.hidden_in().empty(), "name", row.hidden_in());
}

/// Returns the largest network with a training step in FP32 and in the precision that the answers
/// compare.
std::optional<PrecisionPair> compared_pair(const std::vector<MeasuredNetwork>& networks) {
  const auto compared = compared_pairs(precision_pairs(networks), &MeasuredNetwork::step);
  return compared.empty() ? std::nullopt : std::optional(compared.back());
}

/// Makes a step without time and parts. Nothing if the network, or a limit of the GPU, is unknown.
std::optional<LimitedStep> limited_step(const CellSpec& spec, const Limits& limits) {
  const auto parameters = known_parameter_count(spec);
  const auto rate = limits.peak_gemm_rates.find(spec.precision.value_or(Precision::kFp32));
  const bool has_limits = rate != limits.peak_gemm_rates.end() && limits.copy_bandwidth;
  if (spec.device != DeviceKind::kCuda || !parameters || !has_limits || !step_flops(spec))
    return std::nullopt;
  return LimitedStep{
      .network = spec.size,
      .parameters = static_cast<double>(*parameters),
      .precision = std::string(describe(rate->first)),
      .setting = "context " + format_count(*spec.context) + ", batch " + format_count(*spec.batch),
      .flop_rate = rate->second,
      .bandwidth = *limits.copy_bandwidth};
}

/// Returns a ladder's last step by passes. Nothing if its precision is not the ladder's, or if no
/// profile tells its passes, as in a CUDA graph.
std::optional<LimitedStep> tuned_step(const Ladder& ladder, const Limits& limits) {
  const Rung& last = ladder.rungs.back();
  const CellSpec& spec = ladder.rungs.front().cell->spec;
  const Launch* launch = ok_launch(*last.cell);
  auto step = limited_step(spec, limits);
  if (!step || launch == nullptr || !last.ran() || last.cell->spec.precision != spec.precision)
    return std::nullopt;
  const auto busy_ms = [&](std::string_view phase) {
    return single_milliseconds(*launch, metric::kBusy, phase).value_or(0);
  };
  const double forward_flops = *step_flops(spec) / 3;  // Backward has twice as many.
  step->tuned = true;
  if (ladder.peaks == kDataSheetPeaks) step->data_sheet_ms = ladder.ms_at_peaks.value_or(0);
  step->ms = last.mean_ms();
  step->blocks = {
      {"forward", busy_ms(metric::kForward), forward_flops},
      {"backward", busy_ms(metric::kLoss) + busy_ms(metric::kBackward), 2 * forward_flops},
      {"AdamW", busy_ms(metric::kOptimizer), 0, kFusedAdamWBytes * step->parameters}};
  const bool has_passes =
      std::ranges::all_of(step->blocks, [](const StepBlock& block) { return block.ms > 0; });
  return has_passes ? step : std::nullopt;
}

}  // namespace

std::vector<LimitedStep> limited_steps(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const auto networks = benchmarking_mixed_precision::measured_networks(view, groups);
  const auto pair = compared_pair(networks);
  const std::vector<KernelProfile> profiles = kernel_profiles(view);
  const Limits limits = measured_limits(view.run());
  std::vector<const MeasuredNetwork*> shown;
  if (pair) shown = {pair->other, pair->fp32};
  if (!pair && !networks.empty()) shown = {&networks.back()};
  std::vector<LimitedStep> steps;
  for (const MeasuredNetwork* network : shown) {
    const KernelProfile* profile = profile_of_step(profiles, *network);
    auto step = limited_step(network->group->spec, limits);
    if (profile == nullptr || !step || !profile->is_own_network()) continue;
    step->ms = network->step.typical_ms();
    step->blocks = nsys_profile::step_blocks(*profile);
    steps.push_back(*std::move(step));
  }
  for (const Ladder& ladder : ladders(view)) {
    if (auto step = tuned_step(ladder, limits)) steps.push_back(*std::move(step));
  }
  return steps;
}

Headline headline(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const auto networks = benchmarking_mixed_precision::measured_networks(view, groups);
  const auto rows = step_rows(view, networks);
  if (rows.empty()) return {};
  const auto pair = compared_pair(networks);
  const std::string size = pair ? pair->size_label() : rows.back().network->size_label();
  const std::string& implementation = rows.back().spec().implementation;
  Headline headline{.network = implementation.empty() ? size : size + " of " + implementation,
                    .precision = pair ? pair->precision() : "",
                    .utilization = utilization_name(view)};
  for (const StepRow& row : rows) {
    if (row.network->size_label() != size) continue;
    headline.peak_bytes = std::max(headline.peak_bytes, row.peak_bytes());
    if (row.spec().precision == Precision::kFp32) headline.fp32_ms = row.step_ms();
    if (!pair || row.network != pair->other) continue;
    headline.mixed_ms = row.step_ms();
    headline.mfu = row.utilization.value_or(0);
  }
  return headline;
}

std::optional<Section> summary_section(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const auto networks = benchmarking_mixed_precision::measured_networks(view, groups);
  const auto rows = step_rows(view, networks);
  if (rows.empty()) return std::nullopt;
  const auto pair = compared_pair(networks);
  const std::vector<KernelProfile> profiles = kernel_profiles(view);
  const auto fp32 = pair ? step_time(profiles, *pair->fp32) : std::nullopt;
  const auto other = pair ? step_time(profiles, *pair->other) : std::nullopt;
  PartContent part;
  set_facts(view, part, rows, pair ? &*pair : nullptr, fp32, other,
            pair ? profile_of_step(profiles, *pair->other) : nullptr);
  part.facts.when("single", !pair,
                  Facts()
                      .set("size", rows.back().size())
                      .set("precision", rows.back().precision())
                      .set("ms", rows.back().step_ms(), in_prose(rows.back().step_ms())));
  const auto headline_row = std::ranges::find_if(
      rows, [&](const StepRow& row) { return pair && row.network == pair->other; });
  part.facts.when("counted",
                  counted_facts(headline_row == rows.end() ? rows.back() : *headline_row));
  part.facts.when("advice", advice_facts(view));
  const std::string less = less_work(view.run());
  part.facts.when("less", !less.empty(), "finding", less);
  part.facts.set("network", pair ? pair->size_label() : "");
  part.facts.set("kernels", view.on_gpu() ? "kernels" : "operators");
  part.facts.set("precision", pair ? pair->precision() : "");
  part.datasets = {steps_dataset(rows, utilization_name(view))};
  if (fp32 && other) {
    part.datasets.push_back(waterfall_data(waterfall_bars(*pair, *fp32, *other)));
  }
  Section section = compose_section(embedded::experiments().at("experiments/overview/section.md"),
                                    {{"", std::move(part)}});
  std::ranges::move(step_limits_figures(limited_steps(view), ""),
                    std::back_inserter(section.parts.front().figures));
  return section;
}

}  // namespace labreport::overview
