#include "experiments/common/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "experiments/users_code.h"
#include "plan/editions.h"
#include "plan/planner.h"

namespace labreport {
namespace {

/// The number of sequences in the batches of all ranks together.
std::int64_t whole_batch(const CellSpec& spec) {
  return spec.batch.value_or(0) * (spec.ranks ? spec.ranks->count : 1);
}

/// Sets the name of a known size, or the whole shape of a size that the user defined.
void set_size(Request& request, const Run& run, const std::string& name, const ModelShape& shape) {
  const auto sizes = known_sizes(find_edition(run.edition), parse_name<Preset>(run.preset));
  const bool known = std::ranges::any_of(sizes, [&](const Size& size) {
    return size.name == name && size.shape.d_model == shape.d_model &&
           size.shape.d_ff == shape.d_ff && size.shape.layers == shape.layers &&
           size.shape.heads == shape.heads;
  });
  if (known) {
    request.sizes = name;
  } else {
    request.own_sizes = {
        fmt::format("{}={},{},{},{}", name, shape.d_model, shape.d_ff, shape.layers, shape.heads)};
  }
}

std::optional<std::string> to_text(const std::optional<std::int64_t>& number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

/// Returns the flags that measure one cell, without those whose values are the defaults.
Request request_for(const Run& run, const std::string& problem, const CellSpec& spec) {
  const Session* session = session_of(run, spec.implementation);
  const Request run_request = session != nullptr ? session->request : original_request(run);
  Request request{.edition = run.edition, .only = problem};
  if (run.preset != name(Preset::kFull)) request.preset = run.preset;
  if (session != nullptr && !session->model->attention) request = with_code(request, run_request);
  if (spec.ranks && spec.kind != CellKind::kAllReduce) request.ranks = run_request.ranks;
  if (spec.attention && spec.attention->method != AttentionMethod::kSynced) {
    request.attention = run_request.attention;
  }
  if (spec.kind == CellKind::kLeaderboard) {  // The problem fixes network, context and batch.
    request.warmup = run_request.warmup;
    request.steps = run_request.steps;
    return request;
  }
  if (spec.model && spec.size != kOwnSize) set_size(request, run, spec.size, *spec.model);
  request.contexts = to_text(spec.context);
  if (spec.attention) request.contexts = fmt::format("{}", fmt::join(spec.attention->lengths, ","));
  if (spec.precision) request.precisions = name(*spec.precision);
  if (spec.mode) request.modes = name(*spec.mode);
  request.warmup = to_text(spec.warmup);
  request.steps = to_text(spec.steps);
  if (run.preset == name(Preset::kDemo)) {  // Its defaults are not the handout's.
    if (spec.batch) request.batch = run_request.batch;
    if (spec.model) request.vocab = run_request.vocab;
    return request;
  }
  if (spec.batch && whole_batch(spec) != kHandoutBatch) request.batch = to_text(whole_batch(spec));
  if (spec.model && spec.model->vocab != kHandoutVocab) request.vocab = to_text(spec.model->vocab);
  return request;
}

/// Adds to the comma-separated `list` those of `items` that it lacks.
void add_items(std::optional<std::string>& list, const std::optional<std::string>& items) {
  if (!items) return;
  std::vector<std::string> merged = list ? split(*list, ',') : std::vector<std::string>();
  for (const std::string& item : split(*items, ',')) {
    if (!std::ranges::count(merged, item)) merged.push_back(item);
  }
  list = join(merged, ",");
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
  Request merged = request_for(run, problem, cells.front()->spec);
  for (const Cell* cell : cells) {
    const Request request = request_for(run, problem, cell->spec);
    add_items(merged.sizes, request.sizes);
    add_items(merged.contexts, request.contexts);
    add_items(merged.precisions, request.precisions);
    add_items(merged.modes, request.modes);
    keep_if_same(merged.warmup, request.warmup);
    keep_if_same(merged.steps, request.steps);
    keep_if_same(merged.batch, request.batch);
    for (const std::string& size : request.own_sizes) {
      if (!std::ranges::count(merged.own_sizes, size)) merged.own_sizes.push_back(size);
    }
  }
  if (merged.contexts) {
    std::vector<std::string> contexts = split(*merged.contexts, ',');
    std::ranges::sort(contexts, {},
                      [](const std::string& digits) { return std::pair(digits.size(), digits); });
    merged.contexts = join(contexts, ",");
  }
  table.rows.push_back({{run_command(merged)}, {}});
  return table;
}

}  // namespace labreport
