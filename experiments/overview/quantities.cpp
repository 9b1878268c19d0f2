// Collects the numbers that pages over several runs show, using the problems' own functions.
#include <algorithm>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/chosen_problems.h"
#include "experiments/common/all_reduces.h"
#include "experiments/common/attention.h"
#include "experiments/common/kernel_profiles.h"
#include "experiments/common/ladder.h"
#include "experiments/common/memory_profiles.h"
#include "experiments/common/phases.h"
#include "experiments/common/sharding_schemes.h"
#include "experiments/data_parallel/scheme_tables.h"
#include "experiments/data_parallel/schemes.h"
#include "experiments/gradient_checkpointing/spacings.h"
#include "experiments/overview/overview.h"
#include "experiments/scaling/steps.h"
#include "experiments/torch_compile/network.h"
#include "plan/arithmetic.h"
#include "plan/datasheet.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"

namespace labreport::overview {
namespace {

using Quantities = std::vector<Quantity>;

/// Returns what sets a time in which kernels run for `kernels_ms`.
Bound bound_of(double kernels_ms, double time_ms) {
  return LaunchCosts{.launches = 1, .kernels_ms = kernels_ms, .time_ms = time_ms}.bound();
}

constexpr std::int64_t kComparedHeadDim = 64;

/// Returns a network's quantity without values. Its `setting` tells context, batch and ranks.
Quantity network_quantity(const char* topic, const CellSpec& spec, const char* unit,
                          const char* part) {
  Quantity quantity{.topic = topic, .network = spec.size, .unit = unit, .part = part};
  if (!spec.implementation.empty() && !is_shipped(spec))
    quantity.network += " of " + spec.implementation;
  const auto parameters = known_parameter_count(spec);
  quantity.parameters = parameters ? static_cast<double>(*parameters) : 0;
  if (spec.precision) quantity.precision = describe(*spec.precision);
  std::vector<std::string> words;
  if (spec.context) words.push_back("context " + format_count(*spec.context));
  if (spec.batch) words.push_back("batch " + format_count(*spec.batch));
  if (spec.ranks) words.push_back(format_count(spec.ranks->count) + " ranks");
  quantity.setting = join(words, ", ");
  return quantity;
}

void add_value(Quantity& quantity, const std::string& name, std::optional<double> value) {
  if (value && *value > 0) quantity.values.emplace_back(name, *value);
}

void add_time(Quantity& quantity, const std::string& name, const std::vector<double>& samples) {
  if (!samples.empty()) add_value(quantity, name, typical_time(samples));
}

/// Adds the name of a value to those that the CPU sets unless the GPU sets it. An unknown bound is
/// the GPU's.
void mark_bound(Quantity& quantity, const std::string& name, const std::optional<Bound>& bound) {
  if (bound.value_or(Bound::kDevice) != Bound::kDevice && quantity.find(name) != nullptr)
    quantity.set_by_cpu.push_back(name);
}

/// Marks a time for which an unknown bound is not the GPU's. On a CPU no time is marked.
void mark_unless_of_gpu(Quantity& quantity, const std::string& name,
                        const std::optional<Bound>& bound, const RunView& view) {
  if (view.on_gpu()) mark_bound(quantity, name, bound.value_or(Bound::kMixed));
}

void add_unless_empty(Quantities& all, Quantity quantity) {
  if (!quantity.values.empty()) all.push_back(std::move(quantity));
}

void add_steps(Quantities& all, const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const std::string utilization = utilization_name(view);
  for (const auto& network : benchmarking_mixed_precision::measured_networks(view, groups)) {
    const CellSpec& spec = network.group->spec;
    Quantity times = network_quantity(topic::kTrainingStep, spec, "ms", "benchmarking_script-b");
    add_time(times, describe(Measure::kStep), network.step.times_ms);
    add_time(times, describe(Measure::kForward), network.forward.times_ms);
    add_time(times, describe(Measure::kBackward), network.backward.times_ms);
    add_time(times, describe(Measure::kOptimizer), phase_times(*network.group).optimizer);
    const NetworkBounds bounds = network_bounds(view, *network.group);
    mark_bound(times, describe(Measure::kStep), bounds.step.bound());
    mark_bound(times, describe(Measure::kForward), bounds.forward.bound());
    mark_bound(times, describe(Measure::kBackward), bounds.backward.bound());
    mark_bound(times, describe(Measure::kOptimizer), bounds.optimizer.bound());
    add_unless_empty(all, std::move(times));
    Quantity share = network_quantity(topic::kTrainingStep, spec, "%", "summary");
    const auto step = timed_launch(*network.group, Mode::kTrainStep);
    const auto fraction = step ? flops_utilization(view, *step) : std::nullopt;
    if (fraction) add_value(share, utilization, 100 * *fraction);
    mark_bound(share, utilization, bounds.step.bound());
    add_unless_empty(all, std::move(share));
  }
}

void add_speedups(Quantities& all, const RunView& view) {
  using benchmarking_mixed_precision::MeasuredNetwork;
  const std::vector<TimingGroup> groups = timing_groups(view);
  const auto networks = benchmarking_mixed_precision::measured_networks(view, groups);
  for (const auto& pair : benchmarking_mixed_precision::precision_pairs(networks)) {
    Quantity speedups = network_quantity(topic::kMixedPrecision, pair.other->group->spec, "×",
                                         "benchmarking_mixed_precision-c");
    for (const auto& [measure, pass] :
         {std::pair(Measure::kStep, &MeasuredNetwork::step),
          std::pair(Measure::kForward, &MeasuredNetwork::forward),
          std::pair(Measure::kBackward, &MeasuredNetwork::backward)}) {
      const auto speedup = pair.speedup(pass);
      if (speedup) add_value(speedups, describe(measure), speedup->value);
      mark_bound(speedups, describe(measure), pair.bound());
    }
    add_unless_empty(all, std::move(speedups));
  }
}

/// Splits an unprofiled training step by phase and kind of kernel. Leaves out profiles whose
/// kernels take over 2 % longer than that step, which they therefore cannot split.
void add_kernels(Quantities& all, const RunView& view) {
  constexpr double kMaxBusyRatio = 1.02;
  const std::vector<KernelProfile> profiles = kernel_profiles(view);
  const std::vector<TimingGroup> groups = timing_groups(view);
  for (const KernelProfile& profile : profiles) {
    const auto group = std::ranges::find_if(
        groups, [&](const TimingGroup& timing) { return same_setting(timing.spec, profile.spec); });
    if (group == groups.end()) continue;
    const std::vector<double> steps = whole_step_times(*group, Mode::kTrainStep);
    const KernelRows step_rows = profile.rows(Pass::kTrainStep);
    const double busy_ms = total_ms(step_rows);
    if (steps.empty() || busy_ms <= 0 || busy_ms > kMaxBusyRatio * typical_time(steps)) continue;
    Quantity quantity = network_quantity(topic::kKernels, profile.spec, "ms", "nsys_profile-d");
    double attributed_ms = 0;
    for (const Pass pass : {Pass::kForward, Pass::kBackward, Pass::kOptimizer}) {
      const std::string name(describe(pass));
      const auto rows =
          matching(step_rows, [&](const KernelRow& row) { return row.phase == name; });
      const double gemms_ms = total_ms(matching(rows, is_gemm));
      if (gemms_ms > 0) add_value(quantity, name + step_part::kGemms, gemms_ms);
      add_value(quantity, gemms_ms > 0 ? name + step_part::kOtherKernels : name,
                total_ms(rows) - gemms_ms);
      attributed_ms += total_ms(rows);
    }
    add_value(quantity, "loss and unattributed", busy_ms - attributed_ms);
    add_value(quantity, step_part::kIdle, typical_time(steps) - busy_ms);
    mark_bound(quantity, step_part::kIdle, bound_of(busy_ms, typical_time(steps)));
    add_unless_empty(all, std::move(quantity));
  }
}

void add_ladders(Quantities& all, const RunView& view) {
  for (const Ladder& ladder : ladders(view)) {
    if (gains(ladder).empty()) continue;
    Quantity quantity =
        network_quantity(topic::kFastestStep, ladder.rungs.front().cell->spec, "ms", "ladder");
    const bool ends_in_tf32 = ladder.rungs.back().cell->spec.precision == Precision::kTf32;
    if (ends_in_tf32) quantity.precision = "FP32 to TF32";
    // Ladders with different baselines are different quantities.
    quantity.setting += ", " + ladder.first_run()->change + " baseline";
    for (const Rung& rung : ladder.rungs) {
      add_time(quantity, rung.change, rung.steps_ms);
      if (rung.ran() && rung.busy_ms)
        mark_bound(quantity, rung.change, bound_of(*rung.busy_ms, rung.mean_ms()));
      Quantity parts = quantity;
      parts.topic = topic::kLadderParts;
      parts.precision = describe(*rung.cell->spec.precision);
      parts.setting += ", " + rung.change;
      parts.values.clear();
      parts.set_by_cpu.clear();
      for (const auto& [part, ms] : step_parts(rung)) add_value(parts, part, ms);
      add_unless_empty(all, std::move(parts));
    }
    add_unless_empty(all, std::move(quantity));
  }
}

void add_peaks(Quantities& all, const RunView& view) {
  const std::vector<MemoryProfile> profiles = memory_profiles(view);
  for (const Mode mode : {Mode::kTrainStep, Mode::kInference}) {
    Quantities curves;
    for (const MemoryProfile& profile : profiles) {
      CellSpec spec = profile.spec;
      spec.context.reset();
      Quantity quantity = network_quantity(topic::kMemory, spec, "GiB", "memory_profiling-b");
      quantity.setting += ", " + mode_words(mode);
      auto curve = std::ranges::find_if(
          curves, [&](const Quantity& other) { return other.matches(quantity); });
      if (curve == curves.end()) curve = curves.insert(curve, std::move(quantity));
      const std::string context = "context " + format_count(profile.context());
      const auto peak = profile.peak_bytes(mode);
      if (peak) add_value(*curve, context, *peak / kBytesPerGibibyte);
      const MemoryStep* step = profile.planned_step(mode);
      const bool ran_out = step != nullptr && step->out_of_memory() != nullptr;
      if (ran_out && curve->remark.empty()) curve->remark = std::string(kRanOutAt) + context;
    }
    for (Quantity& curve : curves) add_unless_empty(all, std::move(curve));
  }
}

/// Adds a sweep over lengths, or continues that of the same quantity.
void add_sweep(Quantities& all, Quantity sweep) {
  const auto known =
      std::ranges::find_if(all, [&](const Quantity& quantity) { return quantity.matches(sweep); });
  if (known == all.end()) return add_unless_empty(all, std::move(sweep));
  std::ranges::move(sweep.values, std::back_inserter(known->values));
  std::ranges::move(sweep.set_by_cpu, std::back_inserter(known->set_by_cpu));
  if (known->remark.empty()) known->remark = std::move(sweep.remark);
}

/// Adds curves over lengths at one head dimension: times of the FlashAttention problem, whose cells
/// do_bench times, and bytes that each implementation keeps for backward.
void add_attention(Quantities& all, const RunView& view) {
  for (const Cell* cell : view.cells(CellKind::kAttention)) {
    const CellSpec& spec = cell->spec;
    if (spec.attention->head_dim != kComparedHeadDim) continue;
    const bool flash = timed_by(spec, AttentionMethod::kDoBench);
    if (!flash && !timed_by(spec, AttentionMethod::kSynced)) continue;
    Quantity times{
        .topic = topic::kAttention,
        .precision = std::string(describe(*spec.precision)),
        .setting = "head size " + std::to_string(kComparedHeadDim) + ", batch " +
                   format_count(spec.batch.value_or(1)) + ", " +
                   (spec.implementation.empty() ? std::string(describe(spec.attention->backend))
                                                : spec.implementation),
        .unit = "ms",
        .part = flash ? "flash_benchmarking" : "pytorch_attention"};
    Quantity kept = times;
    kept.topic = topic::kAttentionMemory;
    kept.unit = "MiB";
    const std::vector<AttentionRow> rows = attention_rows(*cell);
    const auto bounds = bounds_by_length(rows, metric::kEndToEnd);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const AttentionRow& row = rows[i];
      const std::string length = format_count(row.length()) + " tokens";
      if (row.ran_out_of_memory() && times.remark.empty())
        times.remark = kept.remark = std::string(kRanOutAt) + length;
      if (!row.ran()) continue;
      const auto saved = row.saved_bytes();
      if (saved) add_value(kept, length, *saved / kBytesPerMebibyte);
      if (!flash) continue;
      add_value(times, length, row.ms(metric::kEndToEnd));
      mark_unless_of_gpu(times, length, bounds[i], view);
    }
    add_sweep(all, std::move(times));
    add_sweep(all, std::move(kept));
  }
}

void add_compilation(Quantities& all, const RunView& view) {
  for (const auto& network : torch_compile::compared_networks(view)) {
    if (!network.both_ran()) continue;
    Quantity quantity =
        network_quantity(topic::kCompilation, network.spec(), "ms", "torch_compile-b");
    for (const auto& [name, steps] :
         {std::pair("eager", &network.eager), std::pair("compiled", &network.compiled)}) {
      add_time(quantity, name, steps->times_ms(metric::kTotal));
      if (const auto busy = steps->busy_fraction()) mark_bound(quantity, name, bound_of(*busy, 1));
    }
    add_unless_empty(all, std::move(quantity));
  }
}

std::optional<Bound> bound_of_step(const Cell& cell) {
  const Launch* launch = ok_launch(cell);
  return launch == nullptr ? std::nullopt : bound_at_end({&cell.spec, launch});
}

void add_checkpoints(Quantities& all, const RunView& view) {
  for (const auto& network : gradient_checkpointing::checkpointed_networks(view)) {
    const char* part = "gradient_checkpointing-b";
    Quantity peaks = network_quantity(topic::kCheckpointing, network.spec, "GiB", part);
    Quantity steps = network_quantity(topic::kCheckpointing, network.spec, "ms", part);
    std::vector<std::string> too_large;
    for (const auto& spacing : network.spacings) {
      const std::string name = spacing.blocks()
                                   ? format_plural(*spacing.blocks(), "block") + " per checkpoint"
                                   : "no checkpoints";
      if (spacing.peak) add_value(peaks, name, *spacing.peak / kBytesPerGibibyte);
      const bool ran_out =
          !spacing.cell->launches.empty() &&
          std::holds_alternative<OutOfMemory>(spacing.cell->launches.back().outcome);
      if (ran_out) too_large.push_back(name);
      add_time(steps, name, spacing.steps_ms);
      mark_unless_of_gpu(steps, name, bound_of_step(*spacing.cell), view);
    }
    if (!too_large.empty()) peaks.remark = std::string(kRanOutAt) + join(too_large, ", ");
    add_unless_empty(all, std::move(peaks));
    add_unless_empty(all, std::move(steps));
  }
}

/// Returns what sets the same network's data-parallel step with an all-reduce a parameter: steps
/// with sharded state, whose phases are synchronized, run the same kernels. Returns nothing if it
/// is not known.
std::optional<Bound> bound_of_data_parallel(const RunView& view, const CellSpec& sharded) {
  for (const Cell* cell : view.cells(CellKind::kDataParallel)) {
    const CellSpec& spec = cell->spec;
    if (spec.scheme == Scheme::kPerParameter && same_setting(spec, sharded) &&
        spec.ranks == sharded.ranks)
      return bound_of_step(*cell);
  }
  return std::nullopt;
}

void add_several_gpus(Quantities& all, const RunView& view) {
  for (const data_parallel::MeasuredNetwork& network : data_parallel::measured_networks(view)) {
    Quantity steps = network_quantity(topic::kSeveralGpus, network.spec, "ms", "data_parallel-a");
    for (const data_parallel::SchemeResult& scheme : network.schemes) {
      add_time(steps, scheme.words(), scheme.steps_ms);
      mark_unless_of_gpu(steps, scheme.words(), bound_of_step(*scheme.cell), view);
    }
    add_unless_empty(all, std::move(steps));
    Quantity added = network_quantity(topic::kAddedTimes, network.spec, "ms", "data_parallel-a");
    for (const data_parallel::SchemeResult& scheme : network.schemes) {
      const Value added_ms = data_parallel::added_ms_or_reason(network, scheme);
      if (!added_ms.is_missing()) add_value(added, scheme.words(), *added_ms.number());
    }
    add_unless_empty(all, std::move(added));
  }
  using namespace sharding;
  std::vector<const Cell*> seen;
  for (const Sharding sharding : {Sharding::kOptimizer, Sharding::kWeights}) {
    for (const TrainedNetwork& network : trained_networks(view, sharding)) {
      // A network that shards both the optimizer and the weights is found twice.
      if (std::ranges::find(seen, network.schemes.front().cell) != seen.end()) continue;
      seen.push_back(network.schemes.front().cell);
      const bool shards_weights = sharding == Sharding::kWeights;
      Quantity peaks = network_quantity(
          topic::kSharding, network.spec(), "GiB",
          shards_weights ? "fsdp_accounting-a" : "optimizer_state_sharding_accounting-a");
      Quantity steps = network_quantity(
          topic::kSharding, network.spec(), "ms",
          shards_weights ? "fsdp_accounting-b" : "optimizer_state_sharding_accounting-b");
      for (const ShardingScheme& scheme : network.schemes) {
        const Stage* end = scheme.stage(When::kLaterStep, metric::kAfterOptimizer);
        if (end != nullptr) add_value(peaks, scheme.words(), end->peak_so_far / kBytesPerGibibyte);
        add_time(steps, scheme.words(), scheme.steps_ms);
        mark_unless_of_gpu(steps, scheme.words(), bound_of_data_parallel(view, network.spec()),
                           view);
      }
      add_unless_empty(all, std::move(peaks));
      add_unless_empty(all, std::move(steps));
    }
  }
}

void add_scaling(Quantities& all, const RunView& view) {
  const auto chosen = chosen_problems(view.run());
  if (!view.on_gpu() || (chosen && !chosen->contains("scaling"))) return;
  for (const scaling::ScaledNetwork& network : scaling::scaled_networks(view)) {
    Quantity steps = network_quantity(topic::kScaling, network.alone.cell->spec, "ms", "scaling");
    add_time(steps, topic::kOneGpu, network.alone.steps_ms);
    for (const scaling::RankedStep& step : network.strong) {
      if (step.communicates())
        add_time(steps, fmt::format("{} GPUs, {}", step.ranks(), step.scheme()), step.steps_ms);
    }
    add_unless_empty(all, std::move(steps));
  }
}

void add_all_reduces(Quantities& all, const RunView& view) {
  const char* problem = "distributed_communication_single_node";
  const auto chosen = chosen_problems(view.run());
  // Other problems need all-reduces, too, but do not show them.
  const bool is_shown = !chosen || chosen->contains(problem);
  for (const AllReduceGroup& group : all_reduce_groups(view)) {
    Quantity quantity{.topic = topic::kAllReduce,
                      .setting = group.words(),
                      .unit = "ms",
                      .part = is_shown ? problem : ""};
    for (const Measure measure : measures_of(group.cell->spec)) {
      const std::int64_t bytes = message_bytes(measure);
      const auto timing = group.usable_timing(metric::kSynced, bytes);
      if (!timing || !is_handout_size(bytes)) continue;
      add_value(quantity, describe(measure), timing->slowest_ns / 1e6);
      const bool is_of_gpu =
          group.cell->spec.device == DeviceKind::kCpu || group.is_bandwidth_bound(bytes);
      mark_bound(quantity, describe(measure), is_of_gpu ? Bound::kDevice : Bound::kMixed);
    }
    add_unless_empty(all, std::move(quantity));
  }
}

/// Adds the limits that the run measured, and what the GPU's data sheet says in their place.
void add_limits(Quantities& all, const RunView& view) {
  const Limits limits = measured_limits(view.run());
  const std::string gpu = view.device() == nullptr ? "" : view.device()->name;
  const auto add = [&](const char* setting, const char* unit, const auto& values) {
    Quantity measured{.topic = topic::kLimits, .setting = setting, .unit = unit, .part = "method"};
    Quantity sheet = measured;
    sheet.topic = topic::kDataSheet;
    for (const auto& [name, value, by_sheet] : values) {
      add_value(measured, name, value);
      add_value(sheet, name, by_sheet);
    }
    add_unless_empty(all, std::move(measured));
    add_unless_empty(all, std::move(sheet));
  };
  using Limit = std::tuple<std::string, double, double>;  // The name, as measured, by the sheet.
  if (limits.copy_bandwidth) {
    add("copy bandwidth", "GB/s",
        std::vector{Limit("read and write", *limits.copy_bandwidth / 1e9,
                          datasheet_bandwidth(gpu).value_or(0) / 1e9)});
  }
  for (const auto& [setting, rates] :
       {std::pair(topic::kFastestGemm, &limits.peak_gemm_rates),
        std::pair("sustained GEMM rate", &limits.sustained_gemm_rates)}) {
    add(setting, "TFLOP/s", each(*rates, [&](const auto& rate) {
          return Limit(describe(rate.first), rate.second / 1e12,
                       datasheet_peak(gpu, rate.first).value_or(0) / 1e12);
        }));
  }
}

}  // namespace

std::vector<Quantity> quantities(const RunView& view) {
  Quantities all;
  if (measures_profiling(view.run())) add_steps(all, view);
  add_ladders(all, view);
  add_speedups(all, view);
  add_kernels(all, view);
  add_peaks(all, view);
  add_checkpoints(all, view);
  add_attention(all, view);
  add_compilation(all, view);
  add_several_gpus(all, view);
  add_scaling(all, view);
  add_all_reduces(all, view);
  add_limits(all, view);
  return all;
}

}  // namespace labreport::overview
