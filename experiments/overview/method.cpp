#include <algorithm>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/text.h"
#include "document/demonstration.h"
#include "document/facts.h"
#include "embedded/experiments.h"
#include "experiments/common/timing.h"
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

/// Returns "FP32 51.6 TFLOP/s, BF16 742 TFLOP/s, copy bandwidth 4.21 TB/s (read + write)".
std::string limits_words(const RunView& view) {
  std::vector<std::string> parts;
  const Limits limits = measured_limits(view.run());
  for (const auto& [precision, rate] : limits.matrix_rates) {
    parts.push_back(std::string(describe(precision)) + " " + format_significant(rate / kTera, 3) +
                    " TFLOP/s");
  }
  if (limits.copy_bandwidth) {
    parts.push_back("copy bandwidth " + format_significant(*limits.copy_bandwidth / kTera, 3) +
                    " TB/s (read + write)");
  }
  return join(parts, ", ");
}

/// Networks and those of their modes whose steps are launch-bound, or mixed.
struct BoundNetworks {
  std::size_t classified_count = 0;       ///< Steps of all networks for which a bound is known.
  std::vector<std::string> launch_bound;  ///< "small, BF16 (forward and training step)"
  std::vector<std::string> mixed;
};

void add_network(std::vector<std::string>& networks, const TimingGroup& group,
                 const std::vector<std::string>& modes) {
  if (!modes.empty()) networks.push_back(group.label + " (" + join_words(modes) + ")");
}

BoundNetworks bound_networks(const RunView& view) {
  BoundNetworks result;
  for (const TimingGroup& group : timing_groups(view)) {
    std::vector<std::string> launch_bound, mixed;
    for (const auto& [mode, cell] : group.cells) {
      const auto step = timed_launch(group, mode);
      const auto bound_by = step ? bound_of(view, *step) : std::nullopt;
      if (!bound_by) continue;
      ++result.classified_count;
      if (bound_by == Bound::kLaunch) launch_bound.emplace_back(describe(mode));
      if (bound_by == Bound::kMixed) mixed.emplace_back(describe(mode));
    }
    add_network(result.launch_bound, group, launch_bound);
    add_network(result.mixed, group, mixed);
  }
  return result;
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

std::optional<Facts> model_facts(const Run& run) {
  const ModelSource* model = measured_model(run);
  if (model == nullptr) return std::nullopt;
  Facts facts;
  facts.set("name", model->model);
  facts.set("implementation", model->implementation);
  facts.set("arguments", model->arguments);
  facts.flag("has_arguments", !model->arguments.empty());
  facts.set("loss", model->loss);
  facts.set("step", model->optimizer);
  facts.flag("compiled", model->compile);
  facts.when("compile_time", compile_time_facts(run));
  facts.set("python", run.sessions.back().software.python);
  facts.set("torch", run.sessions.back().software.libtorch);
  return facts;
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
  facts.flag("timing", timing).flag("kernels", kernels).flag("memory", memory);
  facts.flag("eager", timing || kernels || memory);
  facts.flag("networks", any([](const CellSpec& spec) { return spec.model.has_value(); }));
  facts.flag("own", any([](const CellSpec& spec) { return spec.model && !is_shipped(spec); }));
  facts.flag("steps", any([](const CellSpec& spec) {
               return spec.mode && spec.kind != CellKind::kKernels &&
                      spec.kind != CellKind::kMemory;
             }));
}

}  // namespace

std::string method_text(const RunView& view) {
  Facts facts;
  const BoundNetworks networks = bound_networks(view);
  facts.flag("gpu", view.on_gpu());
  facts.set("demonstration", kDemonstration).set("demonstration_meaning", kDemonstrationMeaning);
  add_planned_kinds(facts, view.run());
  const std::string limits = limits_words(view);
  facts.flag("limits_known", !limits.empty());
  facts.set("limits", limits);
  facts.flag("launch_bound", !networks.launch_bound.empty());
  facts.flag("classified", networks.classified_count > 0);
  facts.set("launch_rows", join(networks.launch_bound, "; "));
  facts.flag("mixed", !networks.mixed.empty());
  facts.set("mixed_rows", join(networks.mixed, "; "));
  facts.when("model", model_facts(view.run()));
  add_comparison(facts);
  return render_words(embedded::experiments().at(kTemplateFile), facts, kTemplateFile);
}

}  // namespace labreport::overview
