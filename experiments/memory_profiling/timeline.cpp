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

double Instant::requested_bytes() const {
  return std::accumulate(category_bytes.begin(), category_bytes.end(), 0.0);
}

double Instant::bytes_of(std::string_view category) const {
  const auto entry = std::ranges::find(memory_categories(), category, &CategoryWords::name);
  const auto index = static_cast<std::size_t>(entry - memory_categories().begin());
  return index < category_bytes.size() ? category_bytes[index] : 0;
}

const Instant& Timeline::peak() const {
  return *std::ranges::max_element(instants, {}, &Instant::requested_bytes);
}

std::vector<PhaseSpan> Timeline::phases() const {
  std::vector<PhaseSpan> phases;
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
      instant.category_bytes.push_back(row.number(category.name).value_or(0));
    instant.allocated_bytes = row.number(metric::kAllocated).value_or(0);
  }
  // Callers search the events by number and read the first and the last one as the ends.
  std::ranges::stable_sort(timeline.instants, {}, &Instant::event);
  return timeline;
}

bool same_maker(const Allocation& a, const Allocation& b) {
  return a.outer_op == b.outer_op && a.inner_op == b.inner_op &&
         without_layer(a.module) == without_layer(b.module);
}

std::vector<Allocation> allocations_of(const Launch& launch) {
  std::vector<Allocation> allocations;
  for (const MeasuredRow& row : measured_rows(launch, metric::kAllocations)) {
    allocations.push_back({.bytes = row.number(column::kBytes).value_or(0),
                           .made_event = row.number(column::kMade).value_or(0),
                           .freed_event = row.number(column::kFreed),
                           .made_phase = row.text(column::kPhase),
                           .freed_phase = row.text(column::kFreedPhase),
                           .module = row.text(column::kModule),
                           .outer_op = row.text(column::kOperation),
                           .inner_op = row.text(column::kOperator),
                           .category = row.text(column::kCategory)});
  }
  std::ranges::stable_sort(allocations, std::greater(), &Allocation::bytes);
  return allocations;
}

std::string short_path(std::string module) {
  const std::string long_range = "scaled dot product attention/";
  const auto position = module.find(long_range);
  if (position != module.npos) module.erase(position, long_range.size());
  return module;
}

bool is_linear(const std::string& outer_op) { return outer_op == "aten::linear"; }

std::string allocating_op(const std::string& outer_op, const std::string& inner_op) {
  if (outer_op == "MaskedScores" && inner_op == "aten::resize_") return "aten::where";
  const bool only_allocates =
      inner_op == "aten::empty" || inner_op == "aten::empty_strided" || inner_op == "aten::resize_";
  return only_allocates && outer_op.starts_with("aten::") ? outer_op : inner_op;
}

std::string last_component(const std::string& path, const std::string& separator) {
  const auto position = path.rfind(separator);
  return position == path.npos ? path : path.substr(position + separator.size());
}

std::string maker_words(const std::string& outer_op, const std::string& module,
                        const std::string& inner_op) {
  const std::string path = short_path(module);
  if (is_linear(outer_op) && !path.empty()) return path;
  const bool is_custom = !outer_op.empty() && !outer_op.starts_with("aten::");
  const std::string op_name = last_component(allocating_op(outer_op, inner_op), "::");
  const std::string maker = is_custom && !op_name.empty() ? outer_op + " (" + op_name + ")"
                            : op_name.empty()             ? last_component(outer_op, "::")
                                                          : op_name;
  if (maker.empty()) return path.empty() ? "not known" : path;
  return path.empty() ? maker : maker + " in " + path;
}

namespace {

/// The role of a tensor that an operator makes in one of the block's modules.
struct TensorName {
  const char *module, *inner_op, *name;
};

constexpr TensorName kTensorNames[]{
    {"", "aten::add", "residual streams"},
    {"ln1", "aten::mul", "ln1 activations"},
    {"ln1", "aten::rsqrt", "ln1 inverse RMS"},
    {"attn/rotary", "aten::cat", "RoPE outputs"},
    {"attn", "aten::ge", "causal mask"},
    {"attn/computing softmax", "aten::max", "softmax argmax"},
    {"attn/computing softmax", "aten::exp", "softmax exponentials"},
    {"attn/computing softmax", "aten::sum", "softmax sums"},
    {"attn/computing softmax", "aten::div", "attention probabilities"},
    {"attn/final matmul", "aten::empty", "contiguous V"},
    {"attn", "aten::empty", "merged heads"},
    {"ln2", "aten::mul", "ln2 activations"},
    {"ln2", "aten::rsqrt", "ln2 inverse RMS"},
    {"ffn", "aten::sigmoid", "sigmoid"},
    {"ffn", "aten::mul", "SwiGLU products"}};

}  // namespace

std::string tensor_name(const std::string& outer_op, const std::string& module,
                        const std::string& inner_op, bool labreports_network) {
  if (labreports_network && is_linear(outer_op) && inner_op == "aten::mm")
    return last_component(module, "/") + " output";
  const auto known = std::ranges::find_if(kTensorNames, [&](const TensorName& tensor) {
    return (labreports_network || module.empty()) && tensor.module == module &&
           tensor.inner_op == inner_op;
  });
  return known != std::end(kTensorNames) ? known->name : maker_words(outer_op, module, inner_op);
}

}  // namespace labreport::memory_profiling
