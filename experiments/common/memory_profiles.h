// Memory cells as presenters see them: grouped by network, context and precision.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/peaks.h"
#include "document/value.h"
#include "document/view.h"

namespace labreport {

/// One memory cell, whether its step was measured or not.
struct MemoryStep {
  const Cell* cell;
  const Launch* launch;  ///< Null if nothing was launched yet.

  const CellSpec& spec() const { return cell->spec; }
  Mode mode() const { return spec().mode.value_or(Mode::kForward); }
  bool succeeded() const;
  /// Null if the step did not run out of memory.
  const OutOfMemory* out_of_memory() const;
  /// Returns a metric's bytes; nothing if the metric is absent.
  std::optional<double> bytes(std::string_view tag, std::string_view name) const;
  /// Returns the bytes that a category holds at the step's peak; nothing if they were not measured.
  std::optional<double> category_bytes(std::string_view name) const;
  /// Returns the phase in which the step's peak lies; empty if no phase reaches the peak.
  std::string peak_phase() const;
  /// Says why the step has no measured peak; empty if it has one.
  std::string why_no_peak() const;
};

/// One network at one context and precision.
struct MemoryProfile {
  Value setting;      ///< "2.7B, 512"; 512 alone if all profiles have one size.
  Value label;        ///< "2.7B, 512, FP32"; `setting` if all have one precision.
  std::string words;  ///< "2.7B at context 512"
  CellSpec spec;      ///< Its `mode` is not set.
  std::map<Mode, MemoryStep> steps;

  /// Returns the step in that mode, whether it was measured or not; null if the run has none.
  const MemoryStep* planned_step(Mode mode) const;
  /// Returns the step in that mode; null if it has no measured peak.
  const MemoryStep* measured_step(Mode mode) const;
  /// Returns the training step, else forward+backward; null if neither has a measured peak.
  const MemoryStep* step_with_backward() const;
  /// Returns the peak of allocated bytes; nothing if that mode has no measured peak.
  std::optional<double> peak_bytes(Mode mode) const;
  std::int64_t context() const { return spec.context.value_or(0); }
  std::string precision() const;  ///< "FP32"
};

/// Returns profiles sorted by size, largest first, then by precision, FP32 first, then by context.
/// The plan doubles the context until a training step does not fit; most of these contexts have no
/// other step.
std::vector<MemoryProfile> memory_profiles(const RunView& view);

}  // namespace labreport
