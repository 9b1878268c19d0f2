#include "experiments/catalog.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "embedded/experiments.h"
#include "experiments/common/selection.h"
#include "experiments/problems.h"
#include "results/run_labels.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

std::string_view section_text(std::string_view experiment) {
  return embedded::experiments().at("experiments/" + std::string(experiment) + "/section.md");
}

/// Describes a problem of parallel training whose answer is calculated, not measured.
Experiment arithmetic_problem(std::string_view name, std::vector<std::string> parts,
                              Presentation (*present)(const RunView&), std::string_view edition) {
  const std::string path = "experiments/parallel_arithmetic/" + std::string(name) + ".md";
  return {.name = name,
          .parts = std::move(parts),
          .plan = parallel_arithmetic::plan,
          .present = present,
          .section_text = embedded::experiments().at(path),
          .in_profiling_half = false,
          .only_edition = edition,
          .needs_several_gpus = true};
}

/// True if a cell's times are compared with the peak rates that a `limits` cell measures.
bool needs_limits(const std::vector<PlannedCell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const PlannedCell& planned) {
    const auto& sweep = planned.spec.attention;
    return planned.spec.kind == CellKind::kTiming || planned.spec.kind == CellKind::kKernels ||
           planned.spec.kind == CellKind::kLadder || planned.spec.kind == CellKind::kLeaderboard ||
           (sweep && sweep->method != AttentionMethod::kSynced);
  });
}

/// Adds a cell for each timed network of the user's, which counts a step of the longest mode.
void add_counted_steps(std::vector<PlannedCell>& cells) {
  std::vector<CellSpec> counted;
  for (const PlannedCell& cell : cells) {
    CellSpec spec = cell.spec;
    if (spec.kind != CellKind::kTiming || spec.implementation.empty() || is_shipped(spec)) continue;
    spec.kind = CellKind::kDtypes;
    spec.warmup = spec.steps = std::nullopt;
    const auto known = std::ranges::find_if(
        counted, [&](const CellSpec& other) { return same_setting(other, spec); });
    if (known == counted.end()) {
      counted.push_back(spec);
    } else {
      known->mode = std::max(known->mode, spec.mode);
    }
  }
  for (const CellSpec& spec : counted) cells.push_back({spec, 1});
}

/// Adds the cell that traces and trains the user's network at its smallest timed size, unless a
/// problem planned it.
void add_trained_network(std::vector<PlannedCell>& cells) {
  const CellSpec* smallest = nullptr;
  const auto work = [](const CellSpec& spec) {
    return std::pair(spec.model->layers * spec.model->d_model, spec.context.value_or(0));
  };
  for (const auto& [spec, launches, gpu_trace] : cells) {
    const bool is_users = !spec.implementation.empty() && !is_shipped(spec);
    if (is_users && spec.kind == CellKind::kDtypes && !spec.precision) return;
    if (!is_users || spec.kind != CellKind::kTiming || !spec.model) continue;
    if (smallest == nullptr || work(spec) < work(*smallest)) smallest = &spec;
  }
  if (smallest == nullptr) return;
  CellSpec spec = *smallest;
  spec.kind = CellKind::kDtypes;
  spec.precision = std::nullopt;
  spec.mode = std::nullopt;
  spec.warmup = spec.steps = std::nullopt;
  cells.push_back({spec, 1});
}

bool is_selected(const PlanInput& input, const Experiment& experiment) {
  const auto& only = input.selection.only;
  if (!experiment.in_edition(input.edition.name)) return false;
  if (only.empty()) return experiment.in_profiling_half;
  return std::any_of(only.begin(), only.end(), [&](const std::string& selector) {
    return &find_experiment(selector) == &experiment;
  });
}

/// Suggests parts if only the part's letter is wrong, else problems and aliases. Names that contain
/// the selector come first, because an abbreviation is many edits away from the whole name.
[[noreturn]] void refuse_unknown_experiment(std::string_view selector) {
  constexpr std::size_t kMaxNames = 3;
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
  names.resize(std::min(names.size(), kMaxNames));
  throw InputError("unknown problem '" + std::string(selector) + "'",
                   "nearest: " + join(names, ", ") + "; `labreport list problems` shows all");
}

/// Plans the experiment for the chosen network. If the user wants labreport's network too, the
/// cells of both alternate, so that a drift of the device's speed affects both alike.
std::vector<PlannedCell> cells_of_experiment(const Experiment& experiment, PlanInput input,
                                             const Run& so_far) {
  const std::vector<PlannedCell> chosen_cells = experiment.plan(input, so_far);
  if (!input.selection.keeps_labreports_network) return chosen_cells;
  input.selection.model.reset();
  const std::vector<PlannedCell> labreports_cells = experiment.plan(input, so_far);
  std::vector<PlannedCell> alternating;
  for (std::size_t i = 0; i < std::max(chosen_cells.size(), labreports_cells.size()); ++i) {
    if (i < chosen_cells.size()) alternating.push_back(chosen_cells[i]);
    if (i < labreports_cells.size()) alternating.push_back(labreports_cells[i]);
  }
  return alternating;
}

}  // namespace

const std::vector<Experiment>& catalog() {
  static const std::vector<Experiment> experiments{
      {.name = "benchmarking_script",
       .parts = {"a", "b", "c"},
       .plan = benchmarking_script::plan,
       .present = benchmarking_script::present,
       .section_text = section_text("benchmarking_script")},
      {.name = "nsys_profile",
       .parts = {"a", "b", "c", "d", "e"},
       .plan = nsys_profile::plan,
       .present = nsys_profile::present,
       .section_text = section_text("nsys_profile")},
      {.name = "mixed_precision_accumulation",
       .plan = mixed_precision_accumulation::plan,
       .present = mixed_precision_accumulation::present,
       .section_text = section_text("mixed_precision_accumulation")},
      {.name = "benchmarking_mixed_precision",
       .parts = {"a", "b", "c"},
       .plan = benchmarking_mixed_precision::plan,
       .present = benchmarking_mixed_precision::present,
       .section_text = section_text("benchmarking_mixed_precision")},
      {.name = "memory_profiling",
       .parts = {"a", "b", "c", "d", "e", "f"},
       .plan = memory_profiling::plan,
       .present = memory_profiling::present,
       .section_text = section_text("memory_profiling")},
      {.name = "pytorch_attention",
       .plan = pytorch_attention::plan,
       .present = pytorch_attention::present,
       .section_text = section_text("pytorch_attention"),
       .in_profiling_half = false},
      {.name = "torch_compile",
       .parts = {"a", "b"},
       .plan = torch_compile::plan,
       .present = torch_compile::present,
       .section_text = section_text("torch_compile"),
       .in_profiling_half = false},
      {.name = "flash_benchmarking",
       .plan = flash_benchmarking::plan,
       .present = flash_benchmarking::present,
       .section_text = section_text("flash_benchmarking"),
       .in_profiling_half = false},
      {.name = "gradient_checkpointing",
       .parts = {"a", "b"},
       .plan = gradient_checkpointing::plan,
       .present = gradient_checkpointing::present,
       .section_text = section_text("gradient_checkpointing"),
       .in_profiling_half = false,
       .only_edition = kEdition2026},
      {.name = "data_parallel",
       .parts = {"a", "b", "c", "d", "e"},
       .plan = data_parallel::plan,
       .present = data_parallel::present,
       .section_text = section_text("data_parallel"),
       .in_profiling_half = false,
       .needs_several_gpus = true,
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
       .section_text = section_text("distributed_communication_single_node"),
       .in_profiling_half = false,
       .needs_several_gpus = true},
      {.name = "optimizer_state_sharding_accounting",
       .parts = {"a", "b", "c"},
       .plan = optimizer_state_sharding_accounting::plan,
       .present = optimizer_state_sharding_accounting::present,
       .section_text = section_text("optimizer_state_sharding_accounting"),
       .in_profiling_half = false,
       .needs_several_gpus = true},
      {.name = "fsdp_accounting",
       .parts = {"a", "b"},
       .plan = fsdp_accounting::plan,
       .present = fsdp_accounting::present,
       .section_text = section_text("fsdp_accounting"),
       .in_profiling_half = false,
       .only_edition = kEdition2026,
       .needs_several_gpus = true},
      arithmetic_problem("communication_accounting", {"a", "b", "c", "d"},
                         parallel_arithmetic::communication_accounting, kEdition2025),
      arithmetic_problem("alternate_ring_all_reduce", {},
                         parallel_arithmetic::alternate_ring_all_reduce, kEdition2026),
      arithmetic_problem("data_parallel_calcs", {}, parallel_arithmetic::data_parallel_calcs,
                         kEdition2026),
      arithmetic_problem("fsdp_calcs", {}, parallel_arithmetic::fsdp_calcs, kEdition2026),
      arithmetic_problem("tp_calcs", {}, parallel_arithmetic::tp_calcs, kEdition2026),
      arithmetic_problem("fsdp_tp_calcs", {}, parallel_arithmetic::fsdp_tp_calcs, kEdition2026),
      {.name = "ladder",
       .plan = ladder::plan,
       .present = ladder::present,
       .section_text = section_text("ladder"),
       .in_profiling_half = false},
      {.name = "scaling",
       .plan = scaling::plan,
       .present = scaling::present,
       .section_text = section_text("scaling"),
       .in_profiling_half = false,
       .needs_several_gpus = true},
      {.name = "leaderboard",
       .plan = leaderboard::plan,
       .present = leaderboard::present,
       .section_text = section_text("leaderboard"),
       .in_profiling_half = false,
       .only_edition = kEdition2026,
       .needs_several_gpus = true},
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
    const std::string problem(experiment.name);
    if (selector == problem) return experiment;
    for (const std::string& part : experiment.parts) {
      if (selector == problem + "." + part) return experiment;
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
    if (!is_selected(input, experiment)) continue;
    for (const PlannedCell& cell : cells_of_experiment(experiment, input, so_far)) {
      const std::string id = cell_id(cell.spec);
      if (!bytes_are_countable(cell.spec)) {
        throw InputError(id + " has tensors of more bytes than can be counted",
                         "make the network, the batch or the context smaller");
      }
      const auto duplicate = std::ranges::find_if(
          cells, [&](const PlannedCell& planned) { return cell_id(planned.spec) == id; });
      if (duplicate == cells.end()) {
        cells.push_back(cell);
      } else {
        duplicate->launches = std::max(duplicate->launches, cell.launches);
        duplicate->gpu_trace = duplicate->gpu_trace || cell.gpu_trace;
      }
    }
  }
  add_counted_steps(cells);
  add_trained_network(cells);
  const auto is_limits = [](const PlannedCell& cell) {
    return cell.spec.kind == CellKind::kLimits;
  };
  if (std::erase_if(cells, is_limits) > 0 || needs_limits(cells)) {
    cells.insert(cells.begin(), {bare_cell(input.device, CellKind::kLimits), 1});
  }
  return cells;
}

}  // namespace labreport
