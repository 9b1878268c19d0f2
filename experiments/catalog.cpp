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

/// A problem of parallel training that shares its arithmetic, and the place of its words, with
/// others.
Experiment arithmetic(std::string_view name, std::vector<std::string> parts,
                      Presentation (*present)(const RunView&), std::string_view edition) {
  const std::string path = "experiments/parallel_arithmetic/" + std::string(name) + ".md";
  return {name,
          std::move(parts),
          parallel_arithmetic::plan,
          present,
          embedded::experiments().at(path),
          /*profiling=*/false,
          edition,
          /*several_gpus=*/true};
}

/// True if a cell is timed by the device's own clock: the report then gives its share of the
/// measured peak.
bool needs_limits(const std::vector<PlannedCell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const PlannedCell& planned) {
    const auto& sweep = planned.spec.attention;
    return planned.spec.kind == CellKind::kTiming || planned.spec.kind == CellKind::kKernels ||
           planned.spec.kind == CellKind::kLadder ||
           (sweep && sweep->method != AttentionMethod::kSynced);
  });
}

void refuse_uncountable(const CellSpec& spec) {
  if (is_countable(spec)) return;
  throw InputError(cell_id(spec) + " has tensors of more bytes than can be counted",
                   "make the network, the batch or the context smaller");
}

void merge(std::vector<PlannedCell>& cells, const PlannedCell& wanted) {
  const std::string id = cell_id(wanted.spec);
  for (PlannedCell& planned : cells) {
    if (cell_id(planned.spec) != id) continue;
    planned.launches = std::max(planned.launches, wanted.launches);
    planned.gpu_trace = planned.gpu_trace || wanted.gpu_trace;
    return;
  }
  cells.push_back(wanted);
}

bool selected(const PlanInput& input, const Experiment& experiment) {
  const auto& only = input.selection.only;
  if (!experiment.of(input.edition.name)) return false;
  if (only.empty()) return experiment.profiling;
  return std::any_of(only.begin(), only.end(), [&](const std::string& selector) {
    return &find_experiment(selector) == &experiment;
  });
}

/// The parts of the problem, if the selector names one correctly; else all problems.
std::vector<std::string> names_for(std::string_view problem, bool of_part) {
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    if (of_part && experiment.name == problem && !experiment.parts.empty()) {
      names.clear();
      for (const std::string& part : experiment.parts) {
        names.push_back(std::string(problem) + "." + part);
      }
      return names;
    }
    names.emplace_back(experiment.name);
    for (const HandoutName& also : experiment.also) names.emplace_back(also.name);
  }
  return names;
}

/// Names that contain the word come first, because a part of a name is many edits away from it.
[[noreturn]] void refuse_unknown_experiment(std::string_view selector) {
  constexpr std::size_t kShown = 3;
  const std::string_view problem = selector.substr(0, selector.find('.'));
  std::vector<std::string> names = names_for(problem, problem != selector);
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const bool apart = problem.empty() || name.find(problem) == name.npos;
    return std::pair(apart, edit_distance(problem, name));
  });
  names.resize(std::min(names.size(), kShown));
  throw InputError("unknown problem '" + std::string(selector) + "'",
                   "nearest: " + join(names, ", ") + "; `labreport list problems` shows all");
}

/// Alternates the cells of both networks, so that drift over a run affects both alike.
std::vector<PlannedCell> cells_of(const Experiment& experiment, PlanInput input,
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
      {"benchmarking_script",
       {"a", "b", "c"},
       benchmarking_script::plan,
       benchmarking_script::present,
       words("benchmarking_script")},
      {"nsys_profile",
       {"a", "b", "c", "d", "e"},
       nsys_profile::plan,
       nsys_profile::present,
       words("nsys_profile")},
      {"mixed_precision_accumulation",
       {},
       mixed_precision_accumulation::plan,
       mixed_precision_accumulation::present,
       words("mixed_precision_accumulation")},
      {"benchmarking_mixed_precision",
       {"a", "b", "c"},
       benchmarking_mixed_precision::plan,
       benchmarking_mixed_precision::present,
       words("benchmarking_mixed_precision")},
      {"memory_profiling",
       {"a", "b", "c", "d", "e", "f"},
       memory_profiling::plan,
       memory_profiling::present,
       words("memory_profiling")},
      {"pytorch_attention",
       {},
       pytorch_attention::plan,
       pytorch_attention::present,
       words("pytorch_attention"),
       /*profiling=*/false},
      {"torch_compile",
       {"a", "b"},
       torch_compile::plan,
       torch_compile::present,
       words("torch_compile"),
       /*profiling=*/false},
      {"flash_benchmarking",
       {},
       flash_benchmarking::plan,
       flash_benchmarking::present,
       words("flash_benchmarking"),
       /*profiling=*/false},
      {"gradient_checkpointing",
       {"a", "b"},
       gradient_checkpointing::plan,
       gradient_checkpointing::present,
       words("gradient_checkpointing"),
       /*profiling=*/false,
       /*only_edition=*/"2026"},
      {"data_parallel",
       {"a", "b", "c", "d"},
       data_parallel::plan,
       data_parallel::present,
       words("data_parallel"),
       /*profiling=*/false,
       /*only_edition=*/"",
       /*several_gpus=*/true,
       {{"naive_ddp", "a"},
        {"naive_ddp_benchmarking", "a"},
        {"minimal_ddp_flat", "b"},
        {"minimal_ddp_flat_benchmarking", "b"},
        {"ddp_overlap_individual_parameters", "c"},
        {"ddp_overlap_individual_parameters_benchmarking", "c"},
        {"ddp_bucketed", "d"},
        {"ddp_overlap_bucketed", "d"},
        {"ddp_bucketed_benchmarking", "d"}}},
      {"distributed_communication_single_node",
       {},
       distributed_communication_single_node::plan,
       distributed_communication_single_node::present,
       words("distributed_communication_single_node"),
       /*profiling=*/false,
       /*only_edition=*/"",
       /*several_gpus=*/true},
      {"optimizer_state_sharding_accounting",
       {"a", "b", "c"},
       optimizer_state_sharding_accounting::plan,
       optimizer_state_sharding_accounting::present,
       words("optimizer_state_sharding_accounting"),
       /*profiling=*/false,
       /*only_edition=*/"",
       /*several_gpus=*/true},
      {"fsdp_accounting",
       {"a", "b"},
       fsdp_accounting::plan,
       fsdp_accounting::present,
       words("fsdp_accounting"),
       /*profiling=*/false,
       /*only_edition=*/"2026",
       /*several_gpus=*/true},
      arithmetic("communication_accounting", {"a", "b", "c", "d"},
                 parallel_arithmetic::communication_accounting, "2025"),
      arithmetic("alternate_ring_all_reduce", {}, parallel_arithmetic::alternate_ring_all_reduce,
                 "2026"),
      arithmetic("data_parallel_calcs", {}, parallel_arithmetic::data_parallel_calcs, "2026"),
      arithmetic("fsdp_calcs", {}, parallel_arithmetic::fsdp_calcs, "2026"),
      arithmetic("tp_calcs", {}, parallel_arithmetic::tp_calcs, "2026"),
      arithmetic("fsdp_tp_calcs", {}, parallel_arithmetic::fsdp_tp_calcs, "2026"),
      {"ladder", {}, ladder::plan, ladder::present, words("ladder"), /*profiling=*/false},
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

FigureFiles figure_files(std::string_view folder) {
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
    for (const HandoutName& also : experiment.also) {
      if (selector == also.name) return experiment;
    }
  }
  refuse_unknown_experiment(selector);
}

std::string own_selector(const std::string& selector) {
  const Experiment& experiment = find_experiment(selector);
  for (const HandoutName& also : experiment.also) {
    if (selector != also.name) continue;
    return std::string(experiment.name) + "." + std::string(also.letter);
  }
  return selector;
}

std::vector<PlannedCell> plan_cells(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> wanted;
  for (const Experiment& experiment : catalog()) {
    if (!selected(input, experiment)) continue;
    for (const PlannedCell& planned : cells_of(experiment, input, so_far)) {
      refuse_uncountable(planned.spec);
      merge(wanted, planned);
    }
  }
  const auto is_limits = [](const PlannedCell& cell) {
    return cell.spec.kind == CellKind::kLimits;
  };
  if (std::erase_if(wanted, is_limits) > 0 || needs_limits(wanted))
    wanted.insert(wanted.begin(), {bare_cell(input.device, CellKind::kLimits), 1});
  return wanted;
}

}  // namespace labreport
