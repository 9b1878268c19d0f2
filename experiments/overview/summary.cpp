// The summary: where the time of a training step goes, what BF16 changes, how near each size comes
// to the GPU's peak.
#include <span>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/waterfall.h"
#include "embedded/experiments.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/ladder.h"
#include "experiments/common/ratio.h"
#include "experiments/nsys_profile/profile.h"
#include "experiments/overview/datasheet.h"
#include "experiments/overview/overview.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport::overview {
namespace {

using benchmarking_mixed_precision::Network;
using benchmarking_mixed_precision::Pair;

constexpr Notation kInProse{Notation::kSignificant, 3};
constexpr Notation kMilliseconds{Notation::kSignificant, 4};
constexpr Notation kSpeedup{Notation::kSignificant, 3};
constexpr Notation kChange{Notation::kFixed, 1};
constexpr double kMega = 1e6;
constexpr double kTeraFlops = 1e12;

/// A network's training step at one precision.
struct StepRow {
  const Network* network;
  Timed step;
  /// The memory problem's launch of this step if there is one, so that all pages give one peak.
  const Launch* peak_from;
  std::string device;
  std::optional<double> of_measured_peak;

  const CellSpec& spec() const { return network->group->spec; }
  std::string size() const { return network->size(); }
  std::string_view precision() const { return network->precision(); }
  bool launch_bound() const { return network->bound == Bound::kLaunch; }
  double ms() const { return mean(network->step.ms); }
  std::optional<double> flops() const { return step_flops(*step.spec); }
  std::optional<double> teraflops() const {
    return flops() ? std::optional(*flops() / kTeraFlops) : std::nullopt;
  }
  std::optional<double> parameters() const {  ///< In millions.
    if (const auto counted = counted_parameters(spec()))
      return static_cast<double>(*counted) / kMega;
    const Metric* metric = step.launch->find(metric::kMemory, metric::kParameters);
    const auto bytes = metric == nullptr ? std::nullopt : metric->number();
    return bytes ? std::optional(*bytes / sizeof(float) / kMega) : std::nullopt;
  }
  double tokens() const {
    return static_cast<double>(*spec().batch * *spec().context) / (ms() / 1e3);
  }
  std::optional<double> peak_rate() const { return datasheet_peak(device, *spec().precision); }
  std::optional<double> of_datasheet_peak() const {
    const auto peak = peak_rate();
    return peak && flops() ? std::optional(*flops() / (ms() / 1e3) / *peak) : std::nullopt;
  }
  double peak_bytes() const {  ///< 0 if not measured.
    const Metric* peak = peak_from->find(metric::kMemory, metric::kPeakAllocated);
    return peak == nullptr ? 0 : peak->number().value_or(0);
  }
};

const std::vector<Column<StepRow>> kSteps{
    {"size", "Size", [](const StepRow& row) { return row.spec().size; }},
    {"precision", "Precision", &StepRow::precision},
    {"context",
     "Context",
     [](const StepRow& row) { return row.network->group->context; },
     "",
     {Notation::kCount}},
    {"parameters", "Parameters", &StepRow::parameters, "M"},
    {"flops", "FLOPs", &StepRow::teraflops, "TFLOP"},
    {"step", "Step", &StepRow::ms, "ms"},
    {"tokens", "Tokens/s", &StepRow::tokens},
    {"mfu", "MFU", &StepRow::of_measured_peak, "%", {Notation::kPercent}},
    {"datasheet",
     "MFU vs. data-sheet peak",
     &StepRow::of_datasheet_peak,
     "%",
     {Notation::kPercent}}};

/// Shows peaks in GiB, or in MiB if all are below 1 GiB, as in a demonstration.
Dataset steps(const std::vector<StepRow>& rows) {
  const bool large = largest(rows, &StepRow::peak_bytes)->peak_bytes() >= kBytesPerGibibyte;
  std::vector<Column<StepRow>> columns = kSteps;
  columns.push_back(
      {"peak",
       "Peak memory",
       [](const StepRow& row) { return row.peak_bytes() > 0 ? Value(row.peak_bytes()) : Value(); },
       large ? "GiB" : "MiB",
       {large ? Notation::kGibibytes : Notation::kMebibytes}});
  return make_dataset("steps", columns, rows);
}

std::vector<StepRow> step_rows(const RunView& view, const std::vector<Network>& networks) {
  std::vector<StepRow> rows;
  for (const Network& network : networks) {
    const auto step = timed(*network.group, Mode::kTrainStep);
    if (network.step.ms.empty() || !step) continue;
    const Cell* memory = view.cell(CellKind::kMemory, [&](const CellSpec& spec) {
      return same_setting(spec, *step->spec) && spec.mode == step->spec->mode;
    });
    const Launch* peak_from = memory == nullptr ? nullptr : ok_launch(*memory);
    rows.push_back({.network = &network,
                    .step = *step,
                    .peak_from = peak_from == nullptr ? step->launch : peak_from,
                    .device = view.device() == nullptr ? "" : view.device()->name,
                    .of_measured_peak = share_of_peak(view, *step)});
  }
  return rows;
}

/// The time in ms of one training step by use: kernels of its profile, and `idle`, which is what
/// they leave of the unprofiled step.
struct StepTime {
  double gemms, others, optimizer, idle;
};

using StepPart = std::pair<const char*, double StepTime::*>;
constexpr StepPart kOnGpu[]{{"GEMMs", &StepTime::gemms},
                            {"other kernels", &StepTime::others},
                            {"optimizer", &StepTime::optimizer},
                            {"GPU idle", &StepTime::idle}};
constexpr StepPart kOnCpu[]{{"GEMMs", &StepTime::gemms},
                            {"other operators", &StepTime::others},
                            {"optimizer", &StepTime::optimizer},
                            {"outside operators", &StepTime::idle}};

/// Returns nothing if the profiled kernels take over 2 % longer than the unprofiled step, because
/// then they are no breakdown of that step.
std::optional<StepTime> step_time(const nsys_profile::Profiles& profiles, const Network& network) {
  const auto profile = std::ranges::find_if(profiles.all, [&](const nsys_profile::Profile& one) {
    return same_setting(one.spec, network.group->spec);
  });
  if (profile == profiles.all.end() || network.step.ms.empty()) return std::nullopt;
  const auto rows = profile->rows(nsys_profile::Pass::kTrainStep);
  const auto optimizer = profile->rows(nsys_profile::Pass::kOptimizer);
  if (rows.empty() || optimizer.empty()) return std::nullopt;
  constexpr double kAlike = 1.02;
  const double gemms = total(matching(rows, nsys_profile::is_gemm)), busy = total(rows);
  const double step = mean(network.step.ms);
  if (busy > kAlike * step) return std::nullopt;
  return StepTime{.gemms = gemms,
                  .others = busy - gemms - total(optimizer),
                  .optimizer = total(optimizer),
                  .idle = std::max(0.0, step - busy)};
}

void add_step(std::vector<WaterfallBar>& bars, std::span<const StepPart> parts,
              std::string_view precision, const StepTime& step) {
  const std::string name = std::string(precision) + " step";
  double at = 0;
  for (const auto& [part, member] : parts) {
    bars.push_back({name, part, at, at + step.*member, ""});
    at = bars.back().to_ms;
  }
  bars.back().text = format_value(at, kMilliseconds) + " ms";
}

std::vector<WaterfallBar> waterfall(const Pair& pair, const StepTime& from, const StepTime& to) {
  std::vector<WaterfallBar> bars;
  const bool on_cpu = pair.other->group->spec.device == DeviceKind::kCpu;
  const std::span<const StepPart> parts = on_cpu ? std::span(kOnCpu) : std::span(kOnGpu);
  add_step(bars, parts, pair.fp32->precision(), from);
  double at = bars.back().to_ms;
  for (const auto& [part, member] : parts) {
    const double change = to.*member - from.*member;
    bars.push_back({part, part, at, at + change,
                    (change > 0 ? "+" : "") + format_value(change, kChange) + " ms"});
    at += change;
  }
  add_step(bars, parts, pair.other->precision(), to);
  return bars;
}

/// Describes the pair's more variable step; nothing if it varies by at most `kSteadyBelow`.
std::optional<Facts> varying_facts(const Pair& pair) {
  const auto variation = [](const Network* network) {
    return variation_of(network->step.ms).value_or(0);
  };
  const Network* most = variation(pair.other) > variation(pair.fp32) ? pair.other : pair.fp32;
  if (variation(most) <= kSteadyBelow) return std::nullopt;
  Facts facts;
  facts.set("precision", most->precision());
  facts.set("variation", variation(most), {Notation::kPercent, 0});
  return facts;
}

Facts pair_facts(const Pair& pair) {
  return Facts()
      .when("varies", varying_facts(pair))
      .set("size", pair.size())
      .set("precision", pair.precision())
      .set("fp32", mean(pair.fp32->step.ms), kInProse)
      .set("other", mean(pair.other->step.ms), kInProse)
      .set("speedup", pair.speedup(&Network::step)->value, kSpeedup);
}

/// The times of the GEMMs; nothing unless they account for at least nine tenths of the gain.
std::optional<Facts> gemm_facts(const Pair& pair, const StepTime& from, const StepTime& to) {
  const double gained = mean(pair.fp32->step.ms) - mean(pair.other->step.ms);
  if (gained <= 0 || to.gemms <= 0 || from.gemms - to.gemms < 0.9 * gained) return std::nullopt;
  return pair_facts(pair)
      .set("gemms", from.gemms, kInProse)
      .set("fewer_gemms", to.gemms, kInProse)
      .set("gemm_speedup", from.gemms / to.gemms, kSpeedup);
}

std::optional<Facts> optimizer_facts(const Pair& pair, const StepTime& from, const StepTime& to) {
  constexpr double kAlike = 0.03;
  if (std::abs(to.optimizer - from.optimizer) > kAlike * from.optimizer) return std::nullopt;
  return Facts()
      .set("precision", pair.precision())
      .set("time", to.optimizer, kInProse)
      .set("share", to.optimizer / mean(pair.other->step.ms), {Notation::kPercent})
      .set("before", from.optimizer / mean(pair.fp32->step.ms), {Notation::kPercent});
}

std::optional<Facts> mfu_facts(const std::vector<StepRow>& rows, const Pair& pair) {
  const auto other = std::ranges::find(rows, pair.other, &StepRow::network);
  const auto fp32 = std::ranges::find(rows, pair.fp32, &StepRow::network);
  if (other == rows.end() || fp32 == rows.end()) return std::nullopt;
  if (!other->of_measured_peak || !fp32->of_measured_peak) return std::nullopt;
  // A step faster than the measured GEMM peak shows that this is no peak, as in 16 bits on a CPU.
  if (std::max(*other->of_measured_peak, *fp32->of_measured_peak) > 1) return std::nullopt;
  return Facts()
      .set("size", pair.size())
      .set("precision", pair.precision())
      .set("mfu", *other->of_measured_peak, {Notation::kPercent})
      .set("fp32_mfu", *fp32->of_measured_peak, {Notation::kPercent});
}

/// The data sheet's peaks that a column of the table divides by: "FP32 67, BF16 989.5 TFLOP/s".
std::optional<Facts> datasheet_facts(const std::vector<StepRow>& rows) {
  std::vector<std::string> peaks;
  for (const StepRow& row : rows) {
    if (!row.of_datasheet_peak()) continue;
    peaks.push_back(std::string(row.precision()) + " " +
                    format_value(*row.peak_rate() / kTeraFlops, {Notation::kShortest}));
  }
  if (peaks.empty()) return std::nullopt;
  return Facts().set("peaks", join(labreport::distinct(peaks), ", ") + " TFLOP/s");
}

/// Sizes whose training step is launch-bound, by precision.
std::vector<Facts> launch_bound_facts(const std::vector<StepRow>& rows) {
  std::map<std::string_view, std::vector<std::string>> sizes;
  for (const StepRow& row : only(rows, &StepRow::launch_bound)) {
    sizes[row.precision()].push_back(row.size());
  }
  return each(sizes, [](const auto& entry) {
    return Facts().set("precision", entry.first).set("sizes", join_words(entry.second));
  });
}

std::optional<Facts> memory_facts(const std::vector<StepRow>& rows) {
  const StepRow& most = *largest(rows, &StepRow::peak_bytes);
  const auto resident = resident_bytes(*most.step.spec);
  if (most.peak_bytes() <= 0 || !resident) return std::nullopt;
  return Facts()
      .set("size", most.size())
      .set("precision", most.precision())
      .set("peak", format_bytes_briefly(most.peak_bytes()))
      .set("resident", format_bytes_briefly(static_cast<double>(*resident)));
}

/// A training step that is clearly faster than a smaller network's in the same precision. Where
/// both are launch-bound, fewer layers are the reason.
std::optional<Facts> surprise_facts(const std::vector<StepRow>& rows) {
  for (const StepRow& larger : rows) {
    for (const StepRow& smaller : rows) {
      if (&smaller == &larger) break;  // The rows rise by size.
      if (smaller.precision() != larger.precision()) continue;
      const auto ratio = ratio_of(larger.network->step.ms, smaller.network->step.ms);
      if (!ratio || !clearly_below(*ratio, 1)) continue;
      const auto fewer = larger.spec().model->layers, layers = smaller.spec().model->layers;
      return Facts()
          .set("larger", larger.size())
          .set("smaller", smaller.size())
          .set("precision", larger.precision())
          .set("fast", larger.ms(), kInProse)
          .set("slow", smaller.ms(), kInProse)
          .set("fewer", fewer, {Notation::kCount})
          .set("layers", layers, {Notation::kCount})
          .flag("by_layers", larger.launch_bound() && smaller.launch_bound() && fewer < layers);
    }
  }
  return std::nullopt;
}

void set_facts(PartContent& part, const std::vector<StepRow>& rows, const Pair* pair,
               const std::optional<StepTime>& from, const std::optional<StepTime>& to) {
  const bool profiled = pair != nullptr && from && to;
  const auto explained = profiled ? gemm_facts(*pair, *from, *to) : std::nullopt;
  part.facts.when("explained", explained);
  const bool compared = pair != nullptr && !explained;
  const double ratio = compared ? pair->speedup(&Network::step)->value : 1;
  part.facts.when("compared", compared,
                  (compared ? pair_facts(*pair) : Facts())
                      .when("slower", ratio < 1, Facts().set("times", 1 / ratio, kSpeedup)));
  const bool built_in = pair == nullptr || counted_parameters(pair->other->group->spec);
  part.facts.when("optimizer",
                  profiled && built_in ? optimizer_facts(*pair, *from, *to) : std::nullopt);
  part.facts.when("mfu", pair == nullptr ? std::nullopt : mfu_facts(rows, *pair));
  part.facts.when("datasheet", datasheet_facts(rows));
  part.facts.list("launch_bound", launch_bound_facts(rows));
  part.facts.when("memory", memory_facts(rows));
  part.facts.when("surprise", surprise_facts(rows));
}

/// The three changes that help most, where the run has a ladder.
std::optional<Facts> advice_facts(const RunView& view) {
  const std::vector<Ladder> all = ladders(view);
  const Ladder* ladder = advised(all);
  if (ladder == nullptr) return std::nullopt;
  const std::vector<Gain> largest = largest_gains(*ladder, 3);
  if (largest.empty()) return std::nullopt;
  const std::vector<std::string> changes = each(
      largest, [](const Gain& gain) { return gain.after->change + " (" + gain.saved() + " ms)"; });
  return Facts()
      .set("words", ladder->words)
      .set("changes", join_words(changes))
      .set("from", ladder->first()->ms(), kInProse)
      .set("to", ladder->best()->ms(), kInProse);
}

Headline headline_of(const std::vector<StepRow>& rows, const Pair* pair) {
  const Network* last = rows.back().network;
  const std::string size = pair != nullptr ? pair->other->size() : last->size();
  const std::string& model = rows.back().spec().implementation;
  Headline headline{.network = model.empty() ? size : size + " of " + model,
                    .precision = std::string(pair != nullptr ? pair->other->precision() : "")};
  for (const StepRow& row : rows) {
    if (row.network->size() != size) continue;
    headline.peak_bytes = std::max(headline.peak_bytes, row.peak_bytes());
    if (row.spec().precision == Precision::kFp32) headline.fp32_ms = row.ms();
    if (pair == nullptr || row.network != pair->other) continue;
    headline.mixed_ms = row.ms();
    headline.mfu = row.of_measured_peak.value_or(0);
  }
  return headline;
}

}  // namespace

std::optional<Summary> summary(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const auto networks = benchmarking_mixed_precision::networks(view, groups);
  const auto rows = step_rows(view, networks);
  if (rows.empty()) return std::nullopt;
  const nsys_profile::Profiles profiles(view);
  // The largest network with a training step in FP32 and in the precision that the answers compare.
  const auto compared = compared_pairs(pairs(networks), &Network::step);
  const auto pair = compared.empty() ? std::nullopt : std::optional(compared.back());
  const auto from = pair ? step_time(profiles, *pair->fp32) : std::nullopt;
  const auto to = pair ? step_time(profiles, *pair->other) : std::nullopt;
  PartContent part;
  set_facts(part, rows, pair ? &*pair : nullptr, from, to);
  part.facts.when("advice", advice_facts(view));
  part.facts.set("network", pair ? pair->other->size() : "");
  part.facts.set("kernels", view.on_gpu() ? "kernels" : "operators");
  part.facts.set("precision", pair ? pair->other->precision() : "");
  part.datasets = {steps(rows)};
  if (from && to) part.datasets.push_back(waterfall_data(waterfall(*pair, *from, *to)));
  return Summary{compose_section(embedded::experiments().at("experiments/overview/section.md"),
                                 {{"", std::move(part)}}),
                 headline_of(rows, pair ? &*pair : nullptr)};
}

}  // namespace labreport::overview
