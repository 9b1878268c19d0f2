#include <algorithm>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/demonstration.h"
#include "document/facts.h"
#include "embedded/experiments.h"
#include "experiments/common/bound.h"
#include "experiments/common/peak_rates.h"
#include "experiments/overview/overview.h"
#include "results/json_reader.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"

namespace labreport::overview {
namespace {

constexpr const char* kTemplateFile = "experiments/overview/method.md";
constexpr const char* kComparisonFile = "experiments/overview/comparison.json";
constexpr double kTera = 1e12;

/// Adds the recorded comparison with the same network in eager Python, which no run measures.
void add_comparison(Facts& facts) {
  const JsonDocument document =
      parse_json(embedded::experiments().at(kComparisonFile), std::string(kComparisonFile));
  const JsonReader root(document);
  facts.set("comparison_device", root.at("device").text());
  facts.set("comparison_date", root.at("date").text());
  facts.set_markdown("comparison_command", root.at("command").text());
  for (const char* name : {"large_step", "large_bf16_step", "large_memory", "large_bf16_memory",
                           "small_step", "einsum_fp32", "einsum_bf16"}) {
    facts.set(name, format_ratio(root.at("ratios").at(name).real()) + "×");
  }
}

/// Returns "FP32 51.6, BF16 742 TFLOP/s".
std::string rates_words(const std::map<Precision, double>& rates) {
  return join(each(rates,
                   [](const auto& entry) {
                     return std::string(describe(entry.first)) + " " +
                            format_significant(entry.second / kTera, 3);
                   }),
              ", ") +
         " TFLOP/s";
}

std::optional<Facts> limit_facts(const RunView& view) {
  const Limits limits = measured_limits(view.run());
  if (limits.peak_gemm_rates.empty()) return std::nullopt;
  const auto bandwidth = limits.copy_bandwidth;
  return Facts()
      .set("fastest", rates_words(limits.peak_gemm_rates))
      .flag("datasheet", has_datasheet_peak(view))
      .set("sustained", rates_words(limits.sustained_gemm_rates))
      .when("copies", bandwidth.has_value(), "bandwidth",
            format_significant(bandwidth.value_or(0) / kTera, 3));
}

/// Names the timed networks whose times the CPU sets, or sets in part. Returns nothing if what sets
/// their times is unknown, as on a CPU.
std::optional<Facts> classified_facts(const RunView& view) {
  std::vector<std::string> launch_bound, mixed;
  bool any = false;
  for (const TimingGroup& group : timing_groups(view)) {
    const auto bound = network_bounds(view, group).bound();
    any = any || bound;
    if (bound == Bound::kLaunch) launch_bound.push_back(group.label);
    if (bound == Bound::kMixed) mixed.push_back(group.label);
  }
  if (!any) return std::nullopt;
  return Facts()
      .set("launch_bound", launch_bound.empty() ? "none" : join(launch_bound, "; "))
      .when("mixed", !mixed.empty(), "rows", join(mixed, "; "));
}

/// Tells the shortest and the longest time in which a cell compiled the user's model.
std::optional<Facts> compile_time_facts(const Run& run) {
  std::vector<double> seconds;
  for (const Cell& cell : run.cells) {
    if (is_shipped(cell.spec)) continue;  // Problems of their own show these compile times.
    for (const Launch& launch : cell.launches) {
      const auto ms = single_milliseconds(launch, metric::kStartUp, metric::kCompile);
      if (ms) seconds.push_back(*ms * 1e-3);
    }
  }
  if (seconds.empty()) return std::nullopt;
  const auto [shortest, longest] = std::ranges::minmax(seconds);
  Facts facts;
  facts.set("least", format_duration(shortest));
  facts.set("most", format_duration(longest));
  return facts;
}

/// True if the FLOPs of some step of the user's were counted, in whichever of its phases.
bool has_counted_flops(const RunView& view) {
  return std::ranges::any_of(view.run().cells, [&](const Cell& cell) {
    CellSpec step = cell.spec;
    step.mode = Mode::kTrainStep;
    return counted_launch(view, step) != nullptr && flops_of_step(view, step);
  });
}

std::optional<Facts> model_facts(const RunView& view) {
  const Run& run = view.run();
  const ModelSource* model = measured_model(run);
  if (model == nullptr) return std::nullopt;
  Facts facts;
  facts.flag("own_step", model->step.has_value());
  facts.flag("is_part", model->part.has_value());
  facts.set("name", model->model);
  facts.set("implementation", model->implementation);
  facts.set("arguments", model->arguments);
  facts.flag("has_arguments", !model->arguments.empty());
  facts.set("loss", model->loss == "model" ? "the model's own" : model->loss);
  facts.set("step", model->optimizer);
  facts.flag("compiled", model->compile);
  facts.flag("counted", has_counted_flops(view));
  facts.when("compile_time", compile_time_facts(run));
  facts.set("python", run.sessions.back().software.python);
  facts.set("torch", run.sessions.back().software.libtorch);
  return facts;
}

/// Describes the parts of training steps that a checkout's other sessions measure.
std::vector<Facts> part_facts(const Run& run) {
  std::vector<Facts> parts;
  for (const Session& session : run.sessions) {
    if (!session.model || !session.model->part || &*session.model == measured_model(run)) continue;
    parts.push_back(Facts()
                        .set("name", session.model->model)
                        .set("implementation", session.model->implementation));
  }
  return parts;
}

/// Sets the facts that depend on which cells the run planned.
void add_planned_kinds(Facts& facts, const Run& run) {
  const auto any = [&](const auto& holds) {
    return std::ranges::any_of(run.cells, [&](const Cell& cell) { return holds(cell.spec); });
  };
  const auto has_unshipped = [&](CellKind kind) {
    return any([&](const CellSpec& spec) { return spec.kind == kind && !is_shipped(spec); });
  };
  const bool timing = has_unshipped(CellKind::kTiming);
  const bool kernels = has_unshipped(CellKind::kKernels);
  const bool memory = has_unshipped(CellKind::kMemory);
  const bool own_step = measures_own_step(run);
  facts.flag("timing", timing).flag("kernels", kernels).flag("memory", memory && !own_step);
  facts.flag("timed_alone", timing && !own_step);
  facts.flag("eager", (timing || kernels || memory) && !own_step);
  facts.flag("sweeps", any([](const CellSpec& spec) {
               return spec.kind == CellKind::kAttention || spec.kind == CellKind::kAllReduce;
             }));
  facts.flag("networks", any([](const CellSpec& spec) { return spec.model.has_value(); }));
  facts.flag("autocast", !own_step && any([](const CellSpec& spec) {
               return spec.model && under_autocast(spec);
             }));
  facts.flag("steps", any([](const CellSpec& spec) {
               return spec.mode && spec.kind != CellKind::kKernels &&
                      spec.kind != CellKind::kMemory;
             }));
}

}  // namespace

std::string method_text(const RunView& view) {
  Facts facts;
  facts.flag("gpu", view.on_gpu());
  facts.set("demonstration", kDemonstration).set("demonstration_meaning", kDemonstrationMeaning);
  add_planned_kinds(facts, view.run());
  facts.when("limits", limit_facts(view)).when("classified", classified_facts(view));
  facts.set("launch_below", format_fixed(100 * kLaunchBoundBelow, 0));
  facts.set("gpu_from", format_fixed(100 * kGpuBoundFrom, 0));
  facts.set("waits_below", format_fixed(100 * kWaitsBelow, 0));
  facts.when("model", model_facts(view)).list("parts", part_facts(view.run()));
  add_comparison(facts);
  return render_words(embedded::experiments().at(kTemplateFile), facts, kTemplateFile);
}

}  // namespace labreport::overview
