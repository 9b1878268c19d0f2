// Presents part (a): the program, the networks that it builds and the command behind each row.
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "embedded/experiments.h"
#include "experiments/benchmarking_script/presenters.h"
#include "experiments/common/command.h"
#include "experiments/problems.h"
#include "plan/arithmetic.h"
#include "plan/planner.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr const char* kProblem = "benchmarking_script";

/// Makes a column of one member of the network's shape; every spec must have a model.
Column<CellSpec> shape_column(const char* name, const char* title,
                              std::int64_t ModelShape::* member) {
  return {name, title, [member](const CellSpec& spec) { return *spec.model.*member; }, "",
          kAsCount};
}

const std::vector<Column<CellSpec>> kNetworks{
    {"size", "Size", &CellSpec::size},
    shape_column("d_model", "d_model", &ModelShape::d_model),
    shape_column("d_ff", "d_ff", &ModelShape::d_ff),
    shape_column("layers", "Layers", &ModelShape::layers),
    shape_column("heads", "Heads", &ModelShape::heads),
    {"parameters", "Parameters", &known_parameter_count, "", kAsCount}};

/// Returns the first spec of each size.
std::vector<CellSpec> distinct_networks(const std::vector<TimingGroup>& groups) {
  std::vector<CellSpec> rows;
  std::set<std::string> seen;
  for (const TimingGroup& group : groups) {
    const bool has_shape = group.spec.model && group.spec.size != kOwnSize;
    if (has_shape && seen.insert(group.spec.size).second) rows.push_back(group.spec);
  }
  return rows;
}

/// Joins the embedded sources of the program, each below a line with its path.
std::string program() {
  std::string text;
  for (const EmbeddedFile& file : embedded::experiments()) {
    if (file.name.starts_with("src/"))
      text.append("// ").append(file.name).append("\n\n").append(file.bytes()).append("\n");
  }
  return text;
}

PartContent present_program(const RunView& view, const std::vector<TimingGroup>& groups,
                            const CellSpec& longest) {
  const std::vector<const Cell*> cells = cells_of(groups);
  PartContent part;
  const bool has_batch = std::ranges::all_of(cells, [](const Cell* cell) {
    return ok_launch(*cell) == nullptr || takes_batch(*ok_launch(*cell));
  });
  const std::string batch = format_plural(longest.batch.value_or(0), "sequence");
  part.facts.set("batch", has_batch ? ", on one random batch of " + batch : "");
  part.facts.flag("gpu", view.on_gpu()).flag("own_step", measures_own_step(view.run()));
  part.facts.flag("named_after_gpt", std::ranges::any_of(groups, [](const TimingGroup& group) {
                    return group.spec.size == "xl" || group.spec.size == "2.7B";
                  }));
  const Mode mode = longest.mode.value_or(Mode::kForward);
  part.facts.set("row", longest.size + ", " + std::string(describe(mode)));
  std::string command = command_for(view.run(), kProblem, longest);
  for (const char* mark : {"`", "\n", "\r"})  // Each of them would end the code span.
    command = replaced(std::move(command), mark, " ");
  part.facts.set_markdown("command", "`" + command + "`");
  part.datasets = {make_dataset("networks", kNetworks, distinct_networks(groups))};
  part.details.tables = {command_table(view.run(), kProblem, cells)};
  part.attachments = {{"program.cpp", program(), {}}};
  return part;
}

/// Returns the groups that this problem planned, or all groups if it planned none. This problem
/// plans the shortest mode first, the mixed-precision problem the longest.
std::vector<TimingGroup> planned_groups(const RunView& view) {
  const std::vector<TimingGroup> all = timing_groups(view);
  std::vector<TimingGroup> groups = only(all, [](const TimingGroup& group) {
    // The run stores cells in plan order, so the smallest address is the cell planned first.
    const auto cell = [](const auto& entry) { return entry.second; };
    const Mode first_mode = std::ranges::min_element(group.cells, {}, cell)->first;
    return first_mode == Mode::kInference || first_mode == Mode::kForward;
  });
  if (groups.empty()) return all;
  label_groups(groups);
  return groups;
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<TimingGroup> groups = planned_groups(view);
  if (groups.empty()) return {};
  const std::vector<const Cell*> cells = cells_of(groups);
  // The text quotes the cell with the most steps, because others may have a single cold step.
  const CellSpec& longest =
      (*largest(cells, [](const Cell* cell) { return cell->spec.steps.value_or(0); }))->spec;
  Presentation parts{{"a", present_program(view, groups, longest)},
                     {"b", present_durations(view, groups)},
                     {"c", present_warmup(view, groups)}};
  for (auto& [letter, part] : parts) part.cells = cells;
  constexpr std::int64_t kHandoutWarmup = 5, kHandoutSteps = 10;
  parts.at("b").facts.flag("other_counts",
                           longest.warmup != kHandoutWarmup || longest.steps != kHandoutSteps);
  for (const char* letter : {"a", "b"}) {
    parts.at(letter)
        .facts.set("warmup", format_plural(longest.warmup.value_or(0), "warm-up step"))
        .set("steps", format_plural(longest.steps.value_or(0), "timed step"));
  }
  return parts;
}

}  // namespace labreport::benchmarking_script
