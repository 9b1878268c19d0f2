#include "experiments/memory_profiling/timeline.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "document/peaks.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {

double Instant::requested() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

double Instant::of(std::string_view category) const {
  const auto entry = std::ranges::find(memory_categories(), category, &CategoryWords::name);
  const auto index = static_cast<std::size_t>(entry - memory_categories().begin());
  return index < bytes.size() ? bytes[index] : 0;
}

const Instant& Timeline::peak() const {
  return *std::ranges::max_element(instants, {}, &Instant::requested);
}

std::vector<Stretch> Timeline::phases() const {
  std::vector<Stretch> phases;
  for (const Instant& instant : instants) {
    if (instant.phase.empty()) continue;
    if (phases.empty() || phases.back().phase != instant.phase) {
      phases.push_back({instant.phase, &instant, &instant});
    }
    phases.back().last = &instant;
  }
  return phases;
}

const Instant* Timeline::end_of(std::string_view phase) const {
  const Instant* last = nullptr;
  for (const Instant& instant : instants) {
    if (instant.phase == phase) last = &instant;
  }
  return last;
}

Timeline timeline_of(const Launch& launch) {
  Timeline timeline;
  for (const MeasuredRow& row : measured_rows(launch, metric::kTimeline)) {
    Instant& instant = timeline.instants.emplace_back();
    instant.event = row.number(column::kEvent).value_or(0);
    instant.phase = row.text(column::kPhase);
    for (const CategoryWords& category : memory_categories())
      instant.bytes.push_back(row.number(category.name).value_or(0));
    instant.allocated = row.number(metric::kAllocated).value_or(0);
  }
  // Callers search the events by number and read the first and the last one as the ends.
  std::ranges::stable_sort(timeline.instants, {}, &Instant::event);
  return timeline;
}

bool same_kind(const Allocation& a, const Allocation& b) {
  return a.operation == b.operation && a.op == b.op &&
         without_layer(a.module) == without_layer(b.module);
}

std::vector<Allocation> allocations_of(const Launch& launch) {
  std::vector<Allocation> allocations;
  for (const MeasuredRow& row : measured_rows(launch, metric::kAllocations)) {
    allocations.push_back({.bytes = row.number(column::kBytes).value_or(0),
                           .made = row.number(column::kMade).value_or(0),
                           .freed = row.number(column::kFreed),
                           .phase = row.text(column::kPhase),
                           .freed_phase = row.text(column::kFreedPhase),
                           .module = row.text(column::kModule),
                           .operation = row.text(column::kOperation),
                           .op = row.text(column::kOperator),
                           .category = row.text(column::kCategory)});
  }
  std::ranges::stable_sort(allocations, std::greater(), &Allocation::bytes);
  return allocations;
}

std::string short_path(std::string module) {
  const std::string long_range = "scaled dot product attention/";
  const auto at = module.find(long_range);
  if (at != module.npos) module.erase(at, long_range.size());
  return module;
}

bool is_linear(const std::string& operation) { return operation == "aten::linear"; }

std::string allocated_by(const std::string& operation, const std::string& op) {
  if (operation == "MaskedScores" && op == "aten::resize_") return "aten::where";
  const bool bare = op == "aten::empty" || op == "aten::empty_strided" || op == "aten::resize_";
  return bare && operation.starts_with("aten::") ? operation : op;
}

std::string last_of(const std::string& path, const std::string& separator) {
  const auto at = path.rfind(separator);
  return at == path.npos ? path : path.substr(at + separator.size());
}

std::string made_by(const std::string& operation, const std::string& module,
                    const std::string& op) {
  const std::string path = short_path(module);
  if (is_linear(operation) && !path.empty()) return path;
  const bool composed = !operation.empty() && !operation.starts_with("aten::");
  const std::string name = last_of(allocated_by(operation, op), "::");
  const std::string what = composed && !name.empty() ? operation + " (" + name + ")"
                           : name.empty()            ? last_of(operation, "::")
                                                     : name;
  if (what.empty()) return path.empty() ? "not known" : path;
  return path.empty() ? what : what + " in " + path;
}

}  // namespace labreport::memory_profiling
