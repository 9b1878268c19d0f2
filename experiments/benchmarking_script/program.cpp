// Part (a): the program itself, the networks it builds and the command behind each row.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/common/command.h"

namespace labreport::benchmarking_script {
namespace {

TableView networks_table(const std::vector<TimingGroup>& groups) {
  TableView table{"networks",
                  "Networks",
                  {{"Size", "", Align::kLeft},
                   {"d_model", "", Align::kRight},
                   {"d_ff", "", Align::kRight},
                   {"Layers", "", Align::kRight},
                   {"Heads", "", Align::kRight},
                   {"Parameters", "", Align::kRight}},
                  {}};
  std::set<std::string> seen;
  for (const TimingGroup& group : groups) {
    if (!group.spec.model || !seen.insert(group.spec.size).second) continue;
    RowView row{{text_cell(group.spec.size)}, {}, ""};
    const ModelShape& shape = *group.spec.model;
    for (const std::int64_t value :
         {shape.d_model, shape.d_ff, shape.layers, shape.heads, parameter_count(shape)}) {
      row.cells.push_back(count_cell(value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<NamedCell> named_cells(const std::vector<TimingGroup>& groups) {
  std::vector<NamedCell> cells;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      cells.push_back({group.label + ", " + std::string(describe(mode)), cell});
    }
  }
  return cells;
}

template <typename Get>
std::string distinct(const std::vector<TimingGroup>& groups, Get get) {
  std::vector<std::string> values;
  for (const TimingGroup& group : groups) {
    const std::string value = get(group);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return join_words(values);
}

std::string modes_in_words(const std::vector<TimingGroup>& groups) {
  std::set<Mode> modes;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) modes.insert(mode);
  }
  std::vector<std::string> words;
  for (const Mode mode : modes) words.emplace_back(describe(mode));
  return join_words(words);
}

}  // namespace

PartContent present_program(const RunView& view, const std::vector<TimingGroup>& groups) {
  PartContent part;
  const CellSpec& any = groups.front().cells.begin()->second->spec;
  part.facts.set("warmup", format_plural(any.warmup.value_or(0), "warm-up step"));
  part.facts.set("steps", format_count(any.steps.value_or(0)));
  part.facts.set("batch", format_plural(any.batch.value_or(0), "sequence"));
  part.facts.set("contexts", distinct(groups, [](const TimingGroup& group) {
                   return format_count(group.spec.context.value_or(0));
                 }));
  part.facts.set("vocab", format_count(any.model ? any.model->vocab : 0));
  part.facts.set("modes", modes_in_words(groups));
  part.facts.set("precisions", distinct(groups, [](const TimingGroup& group) {
                   return std::string(describe(group.spec.precision.value_or(Precision::kFp32)));
                 }));
  part.facts.flag("gpu", view.on_gpu());
  part.tables = {networks_table(groups)};
  part.drawer.tables = {commands_table(view.run(), kProblem, named_cells(groups))};
  return part;
}

}  // namespace labreport::benchmarking_script
