// Calculates the fake worker's results for a memory cell, for which no step runs.
#pragma once

#include "fake_memory_tables.h"

namespace labreport {

namespace fake_memory {

inline void add(Launch& body, std::string_view tag, std::string_view name, std::int64_t bytes,
                const char* unit = "B") {
  body.metrics.push_back(integer_metric(tag, name, unit, bytes));
}

inline const MemoryState& requested_peak(const std::vector<MemoryState>& states) {
  return *std::ranges::max_element(states, {}, &MemoryState::requested);
}

inline std::int64_t allocated_peak(const std::vector<MemoryState>& states,
                                   std::string_view phase = "") {
  std::int64_t most = 0;
  for (const MemoryState& state : states) {
    if (phase.empty() || state.phase == phase) most = std::max(most, state.allocated);
  }
  return most;
}

inline void add_peaks(Launch& body, const CellSpec& spec, const std::vector<MemoryState>& states) {
  const std::int64_t requested = requested_peak(states).requested();
  const std::int64_t allocated = allocated_peak(states);
  add(body, metric::kMemory, metric::kPeakRequested, requested);
  add(body, metric::kMemory, metric::kPeakAllocated, allocated);
  add(body, metric::kHistory, metric::kPeakRequested, requested);
  add(body, metric::kHistory, metric::kPeakAllocated, allocated);
  add(body, metric::kRounding, metric::kPeak, allocated - requested);
  if (spec.device == DeviceKind::kCuda) {
    add(body, metric::kMemory, metric::kPeakReserved, allocated + (256 << 20));
  } else {
    body.metrics.push_back(absent_metric("memory", metric::kPeakReserved, "B",
                                         "a processor's allocator reserves nothing"));
  }
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const std::int64_t peak = allocated_peak(states, phase);
    if (peak > 0) add(body, metric::kPeak, phase, peak);
  }
}

inline void add_other_metrics(Launch& body, const CellSpec& spec,
                              const std::vector<MemoryState>& states) {
  const std::int64_t parameters = parameter_bytes(*spec.model);
  add(body, metric::kMemory, metric::kParameters, parameters);
  add(body, metric::kRounding, metric::kParameters, parameters / 100);
  add(body, metric::kResident, metric::kRequested, states.front().requested());
  add(body, metric::kResident, metric::kAllocated, states.front().allocated);
  add(body, metric::kHistory, metric::kEvents, states.back().event, "1");
  add(body, metric::kHistory, metric::kLostEvents, 0, "1");
  add(body, metric::kResidual, metric::kRequested, residual_bytes(spec));
  add(body, metric::kResidual, metric::kAllocated, residual_bytes(spec));
  const auto& at_peak = requested_peak(states).bytes;
  for (const auto category : kCategories) {
    const auto found = at_peak.find(category);
    add(body, metric::kCategory, category, found == at_peak.end() ? 0 : found->second);
  }
}

inline void add_other_forward_peaks(Launch& body, const CellSpec& spec,
                                    const std::vector<MemoryState>& states, std::int64_t capacity) {
  if (spec.mode == Mode::kTrainStep) {
    add(body, metric::kAlternativePeaks, metric::kForwardWithState,
        allocated_peak(states, metric::kForward));
  }
  if (spec.mode != Mode::kForward) return;
  const std::int64_t two_graphs = allocated_peak(states) + saved_bytes(spec);
  const std::optional peak = two_graphs <= capacity ? std::optional(two_graphs) : std::nullopt;
  body.metrics.push_back(integer_metric(metric::kAlternativePeaks, metric::kForwardGraphAlive, "B",
                                        peak, "out of memory"));
}

inline void add_block(Launch& body, const CellSpec& spec, const Step& step) {
  if (step.after_block == 0 || spec.model->layers < 2) return;
  add(body, metric::kBlock, metric::kKept, saved_block_bytes(spec));
  add(body, metric::kBlock, metric::kBeforeBackward, step.before_block);
  add(body, metric::kBlock, metric::kAfterBackward, step.after_block);
  add(body, metric::kBlock, metric::kGradients, block_gradient_bytes(*spec.model));
  body.tables.push_back(block_kept(step.allocator().blocks()));
  body.tables.push_back(block_timeline(step.allocator().states()));
}

}  // namespace fake_memory

/// The step runs out of memory if an allocation exceeds `capacity`; the tables then end there.
inline void measure_memory(Launch& body, const CellSpec& spec, std::int64_t capacity) {
  using namespace fake_memory;
  if (parameter_bytes(*spec.model) > capacity) {
    body.outcome = OutOfMemory{"model", 400 << 20, capacity, capacity};
    return;
  }
  Step step(spec, capacity);
  const Allocator& allocator = step.allocator();
  bool is_complete = true;
  try {
    step.run();
  } catch (const AllocationRefused& refused) {
    is_complete = false;
    body.outcome = OutOfMemory{allocator.current().phase, refused.bytes,
                               allocator.current().allocated, allocated_peak(allocator.states())};
  }
  const std::vector<MemoryState>& states = allocator.states();
  if (is_complete) add_peaks(body, spec, states);
  add_other_metrics(body, spec, states);
  if (is_complete) add_other_forward_peaks(body, spec, states, capacity);
  body.tables = {timeline(states), allocations(allocator.blocks(), states.back().event),
                 largest(allocator.blocks(), spec.model->layers)};
  if (is_complete) add_block(body, spec, step);
}

}  // namespace labreport
