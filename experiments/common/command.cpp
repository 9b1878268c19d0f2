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
void name_size(Request& request, const Run& run, const CellSpec& spec) {
  const auto sizes = known_sizes(find_edition(run.edition), parse_preset(run.preset));
  if (known(sizes, spec)) {
    request.sizes = spec.size;
  } else {
    request.own_sizes = {fmt::format("{}={},{},{},{}", spec.size, spec.model->d_model,
                                     spec.model->d_ff, spec.model->layers, spec.model->heads)};
  }
}

void name_model(Request& request, const Request& asked) {
  request.model = asked.model;
  request.model_args = asked.model_args;
  request.loss = asked.loss;
  request.optimizer = asked.optimizer;
  request.compile = asked.compile;
}

std::optional<std::string> text(const std::optional<std::int64_t>& number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

}  // namespace

std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec) {
  const Request asked = requested(run);
  Request request{.edition = run.edition, .only = problem};
  if (run.preset != name(Preset::kFull)) request.preset = run.preset;
  if (measured_model(run) != nullptr && !spec.implementation.empty()) name_model(request, asked);
  const bool beside = spec.attention && spec.attention->method != AttentionMethod::kSynced;
  if (beside) request.attention = asked.attention;
  if (spec.model) name_size(request, run, spec);
  request.contexts = text(spec.context);
  if (spec.attention) request.contexts = fmt::format("{}", fmt::join(spec.attention->lengths, ","));
  if (spec.precision) request.precisions = name(*spec.precision);
  if (spec.mode) request.modes = name(*spec.mode);
  request.warmup = text(spec.warmup);
  request.steps = text(spec.steps);
  const bool demo = run.preset == name(Preset::kDemo);
  if (!demo && spec.batch && whole_batch(spec) != kHandoutBatch) {
    request.batch = text(whole_batch(spec));
  }
  if (!demo && spec.model && spec.model->vocab != kHandoutVocab) {
    request.vocab = text(spec.model->vocab);
  }
  return "build/bin/labreport run " + command_line(words_of(request));
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
