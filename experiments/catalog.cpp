#include "experiments/catalog.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "embedded/experiments.h"
#include "experiments/common/selection.h"
#include "experiments/problems.h"

namespace labreport {
namespace {

std::string_view words(std::string_view experiment) {
  return embedded::experiments().at("experiments/" + std::string(experiment) + "/section.md");
}

/// A problem of parallel training that is answered by calculation, without a measurement.
Experiment arithmetic(std::string_view name, std::vector<std::string> parts,
                      Presentation (*present)(const RunView&), std::string_view edition) {
  const std::string path = "experiments/parallel_arithmetic/" + std::string(name) + ".md";
  return {.name = name,
          .parts = std::move(parts),
          .plan = parallel_arithmetic::plan,
          .present = present,
          .words = embedded::experiments().at(path),
          .profiling = false,
          .only_edition = edition,
          .several_gpus = true};
}

/// True if a cell's times are compared with the peak rates that a `limits` cell measures.
bool needs_limits(const std::vector<PlannedCell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const PlannedCell& planned) {
    const auto& sweep = planned.spec.attention;
    return planned.spec.kind == CellKind::kTiming || planned.spec.kind == CellKind::kKernels ||
           planned.spec.kind == CellKind::kLadder ||
           (sweep && sweep->method != AttentionMethod::kSynced);
  });
}

bool selected(const PlanInput& input, const Experiment& experiment) {
  const auto& only = input.selection.only;
  if (!experiment.of(input.edition.name)) return false;
  if (only.empty()) return experiment.profiling;
  return std::any_of(only.begin(), only.end(), [&](const std::string& selector) {
    return &find_experiment(selector) == &experiment;
  });
}

/// Suggests parts if only the letter is wrong, else problems. Names that contain the selector come
/// first, because an abbreviation is many edits away from the whole name.
[[noreturn]] void refuse_unknown_experiment(std::string_view selector) {
  constexpr std::size_t kMostNames = 3;
  const std::string_view problem = selector.substr(0, selector.find('.'));
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    names.emplace_back(experiment.name);
    for (const Alias& alias : experiment.aliases) names.emplace_back(alias.name);
  }
  const auto known = std::ranges::find(catalog(), problem, &Experiment::name);
  if (problem != selector && known != catalog().end() && !known->parts.empty()) {
    names.clear();
    for (const std::string& part : known->parts) names.push_back(std::string(problem) + "." + part);
  }
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const bool contains = !problem.empty() && name.find(problem) != name.npos;
    return std::pair(!contains, edit_distance(problem, name));
  });
  names.resize(std::min(names.size(), kMostNames));
  throw InputError("unknown problem '" + std::string(selector) + "'",
                   "nearest: " + join(names, ", ") + "; `labreport list problems` shows all");
}

/// Alternates the cells of both networks, so that drift of the device's speed affects both alike.
std::vector<PlannedCell> alternating_cells(const Experiment& experiment, PlanInput input,
                                           const Run& so_far) {
  const std::vector<PlannedCell> first = experiment.plan(input, so_far);
  if (!input.selection.both) return first;
  input.selection.model.reset();
  const std::vector<PlannedCell> second = experiment.plan(input, so_far);
  std::vector<PlannedCell> turns;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) turns.push_back(first[i]);
    if (i < second.size()) turns.push_back(second[i]);
  }
  return turns;
}

}  // namespace

const std::vector<Experiment>& catalog() {
  static const std::vector<Experiment> experiments{
      {.name = "benchmarking_script",
       .parts = {"a", "b", "c"},
       .plan = benchmarking_script::plan,
       .present = benchmarking_script::present,
       .words = words("benchmarking_script")},
      {.name = "nsys_profile",
       .parts = {"a", "b", "c", "d", "e"},
       .plan = nsys_profile::plan,
       .present = nsys_profile::present,
       .words = words("nsys_profile")},
      {.name = "mixed_precision_accumulation",
       .plan = mixed_precision_accumulation::plan,
       .present = mixed_precision_accumulation::present,
       .words = words("mixed_precision_accumulation")},
      {.name = "benchmarking_mixed_precision",
       .parts = {"a", "b", "c"},
       .plan = benchmarking_mixed_precision::plan,
       .present = benchmarking_mixed_precision::present,
       .words = words("benchmarking_mixed_precision")},
      {.name = "memory_profiling",
       .parts = {"a", "b", "c", "d", "e", "f"},
       .plan = memory_profiling::plan,
       .present = memory_profiling::present,
       .words = words("memory_profiling")},
      {.name = "pytorch_attention",
       .plan = pytorch_attention::plan,
       .present = pytorch_attention::present,
       .words = words("pytorch_attention"),
       .profiling = false},
      {.name = "torch_compile",
       .parts = {"a", "b"},
       .plan = torch_compile::plan,
       .present = torch_compile::present,
       .words = words("torch_compile"),
       .profiling = false},
      {.name = "flash_benchmarking",
       .plan = flash_benchmarking::plan,
       .present = flash_benchmarking::present,
       .words = words("flash_benchmarking"),
       .profiling = false},
      {.name = "gradient_checkpointing",
       .parts = {"a", "b"},
       .plan = gradient_checkpointing::plan,
       .present = gradient_checkpointing::present,
       .words = words("gradient_checkpointing"),
       .profiling = false,
       .only_edition = "2026"},
      {.name = "data_parallel",
       .parts = {"a", "b", "c", "d"},
       .plan = data_parallel::plan,
       .present = data_parallel::present,
       .words = words("data_parallel"),
       .profiling = false,
       .several_gpus = true,
       .aliases = {{"naive_ddp", "a"},
                   {"naive_ddp_benchmarking", "a"},
                   {"minimal_ddp_flat", "b"},
                   {"minimal_ddp_flat_benchmarking", "b"},
                   {"ddp_overlap_individual_parameters", "c"},
                   {"ddp_overlap_individual_parameters_benchmarking", "c"},
                   {"ddp_bucketed", "d"},
                   {"ddp_overlap_bucketed", "d"},
                   {"ddp_bucketed_benchmarking", "d"}}},
      {.name = "distributed_communication_single_node",
       .plan = distributed_communication_single_node::plan,
       .present = distributed_communication_single_node::present,
       .words = words("distributed_communication_single_node"),
       .profiling = false,
       .several_gpus = true},
      {.name = "optimizer_state_sharding_accounting",
       .parts = {"a", "b", "c"},
       .plan = optimizer_state_sharding_accounting::plan,
       .present = optimizer_state_sharding_accounting::present,
       .words = words("optimizer_state_sharding_accounting"),
       .profiling = false,
       .several_gpus = true},
      {.name = "fsdp_accounting",
       .parts = {"a", "b"},
       .plan = fsdp_accounting::plan,
       .present = fsdp_accounting::present,
       .words = words("fsdp_accounting"),
       .profiling = false,
       .only_edition = "2026",
       .several_gpus = true},
      arithmetic("communication_accounting", {"a", "b", "c", "d"},
                 parallel_arithmetic::communication_accounting, "2025"),
      arithmetic("alternate_ring_all_reduce", {}, parallel_arithmetic::alternate_ring_all_reduce,
                 "2026"),
      arithmetic("data_parallel_calcs", {}, parallel_arithmetic::data_parallel_calcs, "2026"),
      arithmetic("fsdp_calcs", {}, parallel_arithmetic::fsdp_calcs, "2026"),
      arithmetic("tp_calcs", {}, parallel_arithmetic::tp_calcs, "2026"),
      arithmetic("fsdp_tp_calcs", {}, parallel_arithmetic::fsdp_tp_calcs, "2026"),
      {.name = "ladder",
       .plan = ladder::plan,
       .present = ladder::present,
       .words = words("ladder"),
       .profiling = false},
  };
  return experiments;
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    const std::string problem(experiment.name);
    if (experiment.parts.empty()) names.push_back(problem);
    for (const std::string& letter : experiment.parts) names.push_back(problem + "." + letter);
  }
  return names;
}

FigureFileReader figure_files(std::string_view folder) {
  return [path = "experiments/" + std::string(folder) + "/figures/"](const std::string& name) {
    return embedded::experiments().at(path + name + ".vl.json");
  };
}

const Experiment& find_experiment(std::string_view selector) {
  for (const Experiment& experiment : catalog()) {
    const std::string whole(experiment.name);
    if (selector == whole) return experiment;
    for (const std::string& part : experiment.parts) {
      if (selector == whole + "." + part) return experiment;
    }
    for (const Alias& alias : experiment.aliases) {
      if (selector == alias.name) return experiment;
    }
  }
  refuse_unknown_experiment(selector);
}

std::string canonical_selector(const std::string& selector) {
  const Experiment& experiment = find_experiment(selector);
  for (const Alias& alias : experiment.aliases) {
    if (selector != alias.name) continue;
    return std::string(experiment.name) + "." + std::string(alias.letter);
  }
  return selector;
}

std::vector<PlannedCell> plan_cells(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells;
  for (const Experiment& experiment : catalog()) {
    if (!selected(input, experiment)) continue;
    for (const PlannedCell& added : alternating_cells(experiment, input, so_far)) {
      const std::string id = cell_id(added.spec);
      if (!is_countable(added.spec)) {
        throw InputError(id + " has tensors of more bytes than can be counted",
                         "make the network, the batch or the context smaller");
      }
      const auto known = std::ranges::find_if(
          cells, [&](const PlannedCell& planned) { return cell_id(planned.spec) == id; });
      if (known == cells.end()) {
        cells.push_back(added);
      } else {
        known->launches = std::max(known->launches, added.launches);
        known->gpu_trace = known->gpu_trace || added.gpu_trace;
      }
    }
  }
  const auto is_limits = [](const PlannedCell& cell) {
    return cell.spec.kind == CellKind::kLimits;
  };
  if (std::erase_if(cells, is_limits) > 0 || needs_limits(cells)) {
    cells.insert(cells.begin(), {bare_cell(input.device, CellKind::kLimits), 1});
  }
  return cells;
}

}  // namespace labreport
