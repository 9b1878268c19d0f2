#include "experiments/report_cases.h"

#include <iterator>

#include "experiments/sample_runs.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::report_cases {
namespace {

using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

constexpr std::int64_t kGibibyte = 1LL << 30;

Run whole_run() { return measured(plan_input(Preset::kFull)); }

Run whole_2026() { return measured(plan_input(Preset::kFull, "2026")); }

Run one_size_in_one_mode(const char* edition) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForward};
  return measured(input);
}

constexpr std::int64_t kSmall = 24 * kGibibyte;

bool has_room(const CellSpec& spec) { return expected_peak(spec).total() < kSmall; }

/// What does not fit by arithmetic is skipped, as in a run; what needs more is refused it.
void answer_on_small_gpu(const CellSpec& spec, Launch& launch) {
  if (!spec.model || !spec.mode) return;
  if (const auto reason = cannot_fit(spec, kSmall)) {
    end_with(launch, Skipped{*reason});
  } else if (spec.kind == CellKind::kMemory) {
    launch = Launch{};
    measure_memory(launch, spec, kSmall);
  } else if (!has_room(spec)) {
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  }
}

Run small_gpu(const char* edition) {
  Run run = measured(plan_input(Preset::kFull, edition), answer_on_small_gpu);
  for (Device& device : run.devices) device.memory_bytes = kSmall;
  return run;
}

Run nothing_ran() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec&, Launch& launch) {
    end_with(launch, Crashed{11, "a <b>last</b> word | and a bar"});
  });
}

Run cut_short(const char* edition) {
  Run run = measured(plan_input(Preset::kFull, edition));
  for (std::size_t i = run.cells.size() / 2; i < run.cells.size(); ++i) {
    run.cells[i].launches.clear();
  }
  return run;
}

Run disturbed() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "medium") return;
    launch.conditions = {integer_metric("slowdown", "thermal", "ns", 5'000'000),
                         integer_metric("gpu", "other_processes", "1", 2),
                         integer_metric("gpu", "device_allocations", "1", 1)};
    if (spec.kind == CellKind::kMemory && spec.mode == Mode::kTrainStep) {
      launch.conditions.push_back(integer_metric("gpu", "spilled", "B", 3LL << 30));
    }
    launch.warnings = {"the loss is not finite"};
  });
}

/// Without BF16 of its own: FP16 stands in its place, on every row.
Run no_bf16() {
  PlanInput input = plan_input(Preset::kQuick);
  input.half = Precision::kFp16;
  Run run = measured(input);
  for (Device& device : run.devices) device.compute_capability = "7.5";
  return run;
}

Run four_precisions() {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.precisions = {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                Precision::kFp16};
  return measured(input);
}

/// The largest network fits in BF16 alone; the smallest is slower in it.
Run one_precision_fits() {
  return measured(plan_input(Preset::kFull), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "2.7B" || spec.precision != Precision::kFp32) return;
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  });
}

Run demonstration() { return measured(plan_input(Preset::kDemo)); }

/// Steps that vary by more than what is asked of them, as on a processor that others share.
Metric shaken(const Metric& metric, double first) {
  constexpr double kFactors[]{0.4, 2.2, 0.7, 1.0, 3.1, 0.9, 1.3};
  if (!metric.is_samples()) return metric;
  std::vector<std::int64_t> samples;
  for (const double sample : metric.numbers()) {
    const double factor = kFactors[samples.size() % std::size(kFactors)];
    samples.push_back(static_cast<std::int64_t>((samples.empty() ? first : factor) * sample));
  }
  return sample_metric(metric.tag, metric.name, metric.unit, samples);
}

/// Its first steps take 40 times as long, and the profiler sees 15 times what the timer saw.
Run noisy() {
  return measured(plan_input(Preset::kDemo), [](const CellSpec& spec, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (spec.kind == CellKind::kTiming) metric = shaken(metric, spec.size == "demo-1" ? 40 : 1);
      if (spec.kind == CellKind::kKernels && metric.tag == metric::kProfile) {
        const auto value = static_cast<std::int64_t>(15 * metric.number().value_or(0));
        metric = integer_metric(metric.tag, metric.name, metric.unit, value);
      }
    }
  });
}

/// The problems of ranks that share what they hold, and the arithmetic of parallel training.
Run sharded(const char* edition, std::vector<std::string> problems) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.only = std::move(problems);
  return measured(input);
}

Run sharded_2025() {
  return sharded("2025", {"optimizer_state_sharding_accounting", "communication_accounting"});
}

Run sharded_2026() {
  return sharded("2026", {"fsdp_accounting", "alternate_ring_all_reduce", "data_parallel_calcs",
                          "fsdp_calcs", "tp_calcs", "fsdp_tp_calcs"});
}

constexpr Case kCases[]{{"whole", whole_run},
                        {"whole-2026", whole_2026, true},
                        {"one-size", [] { return one_size_in_one_mode("2025"); }},
                        {"one-size-2026", [] { return one_size_in_one_mode("2026"); }},
                        {"small-gpu", [] { return small_gpu("2025"); }},
                        {"small-gpu-2026", [] { return small_gpu("2026"); }, true},
                        {"nothing-ran", nothing_ran},
                        {"cut-short", [] { return cut_short("2025"); }},
                        {"cut-short-2026", [] { return cut_short("2026"); }},
                        {"disturbed", disturbed},
                        {"no-bf16", no_bf16},
                        {"four-precisions", four_precisions},
                        {"one-precision", one_precision_fits},
                        {"demonstration", demonstration, true},
                        {"noisy", noisy},
                        {"sharded", sharded_2025},
                        {"sharded-2026", sharded_2026}};

}  // namespace

std::span<const Case> all() { return kCases; }

}  // namespace labreport::report_cases
