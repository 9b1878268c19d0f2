#include "experiments/handout.h"

#include <algorithm>

#include "experiments/catalog.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

constexpr std::string_view kCode;  // The problem asks for code.
constexpr std::string_view kSnapshotInViewer = "a .pickle in memory_viz";

/// The problems of both editions. One that does not name its experiment's letters is answered by
/// all of its parts, and an edition that lacks the experiment lacks the problem.
const std::vector<HandoutProblem>& problems_of_both_editions() {
  static const Screenshots timelines{"a", "a", "2 images of memory_viz", kSnapshotInViewer};
  static const std::vector<HandoutProblem> problems{
      {"benchmarking_script", 4, "benchmarking_script"},
      {"nsys_profile", 5, "nsys_profile"},
      {"mixed_precision_accumulation", 1, "mixed_precision_accumulation"},
      {"benchmarking_mixed_precision", 2, "benchmarking_mixed_precision"},
      {"memory_profiling",
       4,
       "memory_profiling",
       {"a", "b", "c", "d", "e"},
       {timelines},
       kEdition2025},
      {"memory_profiling",
       4,
       "memory_profiling",
       {"a", "b", "c", "d", "e", "f"},
       {timelines, {"f", "f", "a screenshot of Nsight", kSnapshotInViewer}},
       kEdition2026},
      {"gradient_checkpointing", 4, "gradient_checkpointing"},
      {"pytorch_attention", 2, "pytorch_attention"},
      {"torch_compile", 2, "torch_compile"},
      {"flash_forward", 15, kCode},
      {"flash_backward", 5, kCode},
      {"flash_benchmarking", 5, "flash_benchmarking"},
      {"distributed_communication_single_node", 5, "distributed_communication_single_node"},
      {"naive_ddp", 5, kCode},
      {"naive_ddp_benchmarking", 3, "data_parallel", {"a"}},
      {"minimal_ddp_flat_benchmarking", 2, "data_parallel", {"b"}},
      {"ddp_overlap_individual_parameters", 5, kCode},
      {"ddp_overlap_individual_parameters_benchmarking",
       1,
       "data_parallel",
       {"c"},
       {{"b", "c", "2 screenshots of Nsight"}}},
      {"ddp_overlap_bucketed", 8, kCode, {}, {}, kEdition2025},
      {"ddp_bucketed_benchmarking", 3, "data_parallel", {"d"}, {}, kEdition2025},
      {"communication_accounting", 10, "communication_accounting"},
      {"optimizer_state_sharding", 15, kCode},
      {"optimizer_state_sharding_accounting", 5, "optimizer_state_sharding_accounting"},
      {"fsdp", 15, kCode, {}, {}, kEdition2026},
      {"fsdp_accounting", 5, "fsdp_accounting", {}, {{"b", "b", "a screenshot of Nsight"}}},
      {"alternate_ring_all_reduce", 1, "alternate_ring_all_reduce"},
      {"data_parallel_calcs", 3, "data_parallel_calcs"},
      {"fsdp_calcs", 3, "fsdp_calcs"},
      {"tp_calcs", 4, "tp_calcs"},
      {"fsdp_tp_calcs", 6, "fsdp_tp_calcs"},
      {"leaderboard", 10, "leaderboard"}};
  return problems;
}

}  // namespace

std::vector<HandoutProblem> handout_problems(std::string_view edition) {
  std::vector<HandoutProblem> problems;
  for (HandoutProblem problem : problems_of_both_editions()) {
    if (!problem.only_edition.empty() && problem.only_edition != edition) continue;
    if (!problem.experiment.empty()) {
      const Experiment& experiment = find_experiment(problem.experiment);
      if (!experiment.in_edition(edition)) continue;
      if (problem.letters.empty())
        problem.letters.assign(experiment.parts.begin(), experiment.parts.end());
      if (problem.letters.empty()) problem.letters = {""};
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace labreport
