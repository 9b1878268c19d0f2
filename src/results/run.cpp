#include "results/run.h"

#include <algorithm>

#include "base/text.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

const Metric* find_in(const std::vector<Metric>& metrics, std::string_view tag,
                      std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return metric.tag == tag && metric.name == name;
  });
  return found == metrics.end() ? nullptr : &*found;
}

bool measures_labreports_network(const Cell& cell) {
  return cell.spec.model && cell.spec.implementation.empty();
}

template <typename Predicate>
Run without_cells(Run run, const Predicate& is_excluded) {
  std::erase_if(run.cells, is_excluded);
  return run;
}

}  // namespace

const Metric* Launch::find(std::string_view tag, std::string_view name) const {
  return find_in(metrics, tag, name);
}

const Metric* Launch::find_condition(std::string_view tag, std::string_view name) const {
  return find_in(conditions, tag, name);
}

std::optional<double> Launch::number(std::string_view tag, std::string_view name) const {
  const Metric* metric = find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::vector<double> Launch::numbers(std::string_view tag, std::string_view name) const {
  const Metric* metric = find(tag, name);
  return metric == nullptr ? std::vector<double>() : metric->numbers();
}

bool Launch::has_condition_above_zero(std::string_view tag, std::string_view name) const {
  const Metric* condition = find_condition(tag, name);
  return condition != nullptr && condition->number().value_or(0) > 0;
}

bool ran_out_of_memory_beside_others(const Launch& launch) {
  return std::holds_alternative<OutOfMemory>(launch.outcome) &&
         launch.has_condition_above_zero(metric::kGpu, metric::kOtherProcesses);
}

const Launch* representative(const Cell& cell) {
  if (cell.launches.empty()) return nullptr;
  const auto first_ok = std::ranges::find_if(cell.launches, is_ok, &Launch::outcome);
  return first_ok == cell.launches.end() ? &cell.launches.back() : &*first_ok;
}

const Cell* Run::find(const std::string& id) const {
  const auto found = std::ranges::find(cells, id, &Cell::id);
  return found == cells.end() ? nullptr : &*found;
}

Cell& Run::find_or_add(const CellSpec& spec) {
  const std::string id = cell_id(spec);
  const auto found = std::ranges::find(cells, id, &Cell::id);
  if (found != cells.end()) return *found;
  return cells.emplace_back(Cell{id, spec, {}});
}

Request original_request(const Run& run) {
  Request request = run.sessions.empty() ? Request() : run.sessions.front().request;
  request.edition = run.edition;
  request.preset = run.preset;
  return request;
}

const ModelSource* measured_model(const Run& run) {
  if (run.sessions.empty()) return nullptr;
  const std::optional<ModelSource>& model = run.sessions.back().model;
  return model && !model->attention ? &*model : nullptr;
}

const Session* session_of(const Run& run, const std::string& implementation) {
  const auto found = std::ranges::find_if(run.sessions, [&](const Session& session) {
    return std::ranges::count(code_of(session), implementation, &ModelSource::implementation);
  });
  return found == run.sessions.end() ? nullptr : &*found;
}

bool measures_own_step(const Run& run) {
  const ModelSource* model = measured_model(run);
  return model != nullptr && model->step.has_value();
}

std::vector<const ModelSource*> code_of(const Session& session) {
  std::vector<const ModelSource*> code;
  if (session.model) code.push_back(&*session.model);
  for (const ModelSource& attention : session.more_attentions) code.push_back(&attention);
  return code;
}

std::string implementations(const Session& session) {
  std::vector<std::string> names;
  for (const ModelSource* code : code_of(session)) names.push_back(code->implementation);
  return join(names, ", ");
}

std::string course_name(const Run& run) {
  if (run.sessions.empty() || !run.sessions.back().request.course) return "";
  const std::string& folder = *run.sessions.back().request.course;
  return folder.substr(folder.rfind('/') + 1);
}

bool has_timing_cells(const Run& run) {
  return std::ranges::any_of(run.cells,
                             [](const Cell& cell) { return cell.spec.kind == CellKind::kTiming; });
}

bool mostly_failed(const Run& run) {
  std::int64_t launched_cells = 0, failed_cells = 0;
  for (const Cell& cell : run.cells) {
    const Launch* launch = representative(cell);
    launched_cells += launch != nullptr ? 1 : 0;
    failed_cells += launch != nullptr && is_failure(launch->outcome) ? 1 : 0;
  }
  return 2 * failed_cells > launched_cells;
}

bool measures_both_networks(const Run& run) {
  return measured_model(run) != nullptr &&
         std::ranges::any_of(run.cells, measures_labreports_network);
}

Run without_labreports_network(const Run& run) {
  return without_cells(run, measures_labreports_network);
}

Run without_users_model(const Run& run) {
  Run rest = without_cells(run, [](const Cell& cell) { return !cell.spec.implementation.empty(); });
  for (Session& session : rest.sessions) {
    session.model.reset();
    session.more_attentions.clear();
  }
  return rest;
}

const Device* most_used_device(const Run& run) {
  std::map<std::int64_t, std::int64_t> launch_counts;  // by device
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      if (launch.device) ++launch_counts[*launch.device];
    }
  }
  const auto most = std::max_element(launch_counts.begin(), launch_counts.end(),
                                     [](auto a, auto b) { return a.second < b.second; });
  if (most == launch_counts.end()) return nullptr;
  return &run.devices.at(static_cast<std::size_t>(most->first));
}

}  // namespace labreport
