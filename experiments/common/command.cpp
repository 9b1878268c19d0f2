#include "experiments/common/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "plan/editions.h"
#include "plan/planner.h"

namespace labreport {
namespace {

/// The batch of all ranks together.
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

/// The flags of one cell that differ from what the program would choose itself.
Request request_for(const Run& run, const std::string& problem, const CellSpec& spec) {
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
  return request;
}

/// Adds the items that `list`, separated by commas, lacks.
void add_items(std::optional<std::string>& list, const std::optional<std::string>& items) {
  if (!items) return;
  std::vector<std::string> all = list ? split(*list, ',') : std::vector<std::string>();
  for (const std::string& item : split(*items, ',')) {
    if (!std::ranges::count(all, item)) all.push_back(item);
  }
  list = join(all, ",");
}

/// Orders a list of numbers: a longer one is larger.
void sort_numbers(std::optional<std::string>& list) {
  if (!list) return;
  std::vector<std::string> all = split(*list, ',');
  std::ranges::sort(all, {}, [](const std::string& item) { return std::pair(item.size(), item); });
  list = join(all, ",");
}

void keep_if_same(std::optional<std::string>& value, const std::optional<std::string>& other) {
  if (value != other) value.reset();
}

std::string run_command(const Request& request) {
  return "build/bin/labreport run " + command_line(words_of(request));
}

}  // namespace

std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec) {
  return run_command(request_for(run, problem, spec));
}

TableView command_table(const Run& run, const std::string& problem,
                        const std::vector<const Cell*>& cells) {
  TableView table{"commands", "Command", {{"Command", "", Align::kLeft, true}}, {}};
  if (cells.empty()) return table;
  Request all = request_for(run, problem, cells.front()->spec);
  for (const Cell* cell : cells) {
    const Request one = request_for(run, problem, cell->spec);
    add_items(all.sizes, one.sizes);
    add_items(all.contexts, one.contexts);
    add_items(all.precisions, one.precisions);
    add_items(all.modes, one.modes);
    sort_numbers(all.contexts);
    keep_if_same(all.warmup, one.warmup);
    keep_if_same(all.steps, one.steps);
    keep_if_same(all.batch, one.batch);
    for (const std::string& size : one.own_sizes) {
      if (!std::ranges::count(all.own_sizes, size)) all.own_sizes.push_back(size);
    }
  }
  table.rows.push_back({{run_command(all)}, {}});
  return table;
}

}  // namespace labreport
