// Memory cells as presenters see them: grouped by network, context and precision.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.h"
#include "document/peaks.h"
#include "document/view.h"

namespace labreport::memory_profiling {

/// One memory cell, whether its step was measured or not.
struct PlannedStep {
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

inline constexpr Notation kRowNumber{Notation::kRowNumber};

/// One network at one context and precision.
struct Profile {
  Value setting;      ///< "2.7B, 512"; 512 alone if all profiles have one size.
  Value label;        ///< "2.7B, 512, FP32"; `setting` if all have one precision.
  std::string words;  ///< "2.7B at context 512"
  CellSpec spec;      ///< Its `mode` is not set.
  std::map<Mode, PlannedStep> steps;

  /// Returns the step in that mode, whether it was measured or not; null if the run has none.
  const PlannedStep* planned_step(Mode mode) const;
  /// Returns the step in that mode; null if it has no measured peak.
  const PlannedStep* measured_step(Mode mode) const;
  /// Returns the training step, else forward+backward; null if neither has a measured peak.
  const PlannedStep* step_with_backward() const;
  /// Returns the peak of allocated bytes; nothing if that mode has no measured peak.
  std::optional<double> peak_bytes(Mode mode) const;
  std::int64_t context() const { return spec.context.value_or(0); }
  std::string precision() const;  ///< "FP32"
};

/// Returns profiles sorted by size, largest first, then by precision, FP32 first, then by context.
/// The plan doubles the context until a training step does not fit; most of these contexts have no
/// other step.
std::vector<Profile> profiles_of(const RunView& view);

using ProfileList = std::vector<const Profile*>;

/// Returns the profiles that the answers describe, shortest context first. They are those of one
/// network in the first of the run's precisions, FP32 if it has that: the largest network whose
/// training step was measured, else the largest of which any step was, else the largest of all.
ProfileList described_profiles(const std::vector<Profile>& profiles);

/// Keeps profiles with both an inference and a training step planned, which leaves out most doubled
/// contexts. Returns all if none has both.
ProfileList planned_in_full(const ProfileList& profiles);

ProfileList select_all(const std::vector<Profile>& profiles);

ProfileList select_precision(const std::vector<Profile>& profiles,
                             std::optional<Precision> precision);

/// Returns the profiles of `profile`'s network and batch in `precision`, shortest context first.
ProfileList select_same_network(const std::vector<Profile>& profiles, const Profile& profile,
                                Precision precision);

/// "backward", "the optimizer"
std::string phase_words(const std::string& phase);

bool any_peak_measured(const ProfileList& profiles);

/// Returns the precision to compare with the first one: BF16, else FP16, TF32 or FP32, if any.
std::optional<Precision> reduced_precision(const std::vector<Profile>& profiles);

/// Returns the device's memory, or the limit that the launch was given; 0 if unknown.
double capacity_bytes(const RunView& view, const PlannedStep& step);

/// Sets `gpu`, `size`, `precision` and `nothing` (no described step has a measured peak).
void set_common_facts(Facts& facts, const RunView& view, const std::vector<Profile>& profiles);

/// Returns "training step: out of memory in forward: …" for each mode without a measured peak.
std::string why_no_peaks(const Profile& profile);

/// Returns the warnings of all launches, each after its profile's label and its mode.
std::vector<std::string> warnings(const std::vector<Profile>& profiles);

}  // namespace labreport::memory_profiling
