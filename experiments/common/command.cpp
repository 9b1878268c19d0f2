#include "experiments/common/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "plan/editions.h"
#include "plan/planner.h"

namespace labreport {
namespace {

/// Of all ranks together.
std::int64_t whole_batch(const CellSpec& spec) {
  return spec.batch.value_or(0) * (spec.ranks ? spec.ranks->count : 1);
}

bool known(const std::vector<Size>& sizes, const CellSpec& spec) {
  return std::any_of(sizes.begin(), sizes.end(), [&](const Size& size) {
    return size.name == spec.size && spec.model && size.shape.d_model == spec.model->d_model &&
           size.shape.d_ff == spec.model->d_ff && size.shape.layers == spec.model->layers &&
           size.shape.heads == spec.model->heads;
  });
}

/// A size of the user's own is written out; one of the handout's by its name.
std::string size_flag(const Run& run, const CellSpec& spec) {
  const auto sizes = known_sizes(find_edition(run.edition), parse_preset(run.preset));
  if (known(sizes, spec)) return fmt::format(" --sizes {}", spec.size);
  return fmt::format(" --size {}={},{},{},{}", spec.size, spec.model->d_model, spec.model->d_ff,
                     spec.model->layers, spec.model->heads);
}

std::string model_flags(const ModelSource& model) {
  std::vector<std::string> words{"--model", model.model};
  if (!model.arguments.empty()) words.insert(words.end(), {"--model-args", model.arguments});
  words.insert(words.end(), {"--loss", model.loss, "--optimizer", model.optimizer});
  if (model.compile) words.emplace_back("--compile");
  return command_line(words);
}

}  // namespace

std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec) {
  std::string command = fmt::format("build/bin/labreport run --edition {}", run.edition);
  if (run.preset != name(Preset::kFull)) command += fmt::format(" --preset {}", run.preset);
  command += fmt::format(" --only {}", problem);
  if (const ModelSource* model = measured_model(run); model && !spec.implementation.empty()) {
    command += " " + model_flags(*model);
  }
  const bool beside = spec.attention && spec.attention->method != AttentionMethod::kSynced;
  if (const ModelSource* attention = beside ? measured_attention(run) : nullptr) {
    command += " " + command_line(std::vector<std::string>{"--attention", attention->model});
  }
  if (spec.model) command += size_flag(run, spec);
  if (spec.context) command += fmt::format(" --contexts {}", *spec.context);
  if (spec.attention) {
    command += fmt::format(" --contexts {}", fmt::join(spec.attention->lengths, ","));
  }
  if (spec.precision) command += fmt::format(" --precisions {}", name(*spec.precision));
  if (spec.mode) command += fmt::format(" --modes {}", name(*spec.mode));
  if (spec.warmup) command += fmt::format(" --warmup {}", *spec.warmup);
  if (spec.steps) command += fmt::format(" --steps {}", *spec.steps);
  if (run.preset == name(Preset::kDemo)) return command;
  if (spec.batch && whole_batch(spec) != kHandoutBatch) {
    command += fmt::format(" --batch {}", whole_batch(spec));
  }
  if (spec.model && spec.model->vocab != kHandoutVocab) {
    command += fmt::format(" --vocab {}", spec.model->vocab);
  }
  return command;
}

TableView commands_table(const Run& run, const std::string& problem,
                         const std::vector<NamedCell>& cells) {
  TableView table{
      "commands", "Commands", {{"Row", "", Align::kLeft}, {"Command", "", Align::kLeft, true}}, {}};
  for (const auto& [name, cell] : cells) {
    table.rows.push_back({{name, command_for(run, problem, cell->spec)}, {}});
  }
  return table;
}

}  // namespace labreport
