// Chooses the memory profiles that answers and tables show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/facts.h"
#include "experiments/common/memory_profiles.h"

namespace labreport::memory_profiling {

inline constexpr Notation kRowNumber{Notation::kRowNumber};

using ProfileList = std::vector<const MemoryProfile*>;

/// Returns the profiles that the answers describe, shortest context first. They are those of one
/// network in the first of the run's precisions, FP32 if it has that: the largest network whose
/// training step was measured, else the largest of which any step was, else the largest of all.
ProfileList described_profiles(const std::vector<MemoryProfile>& profiles);

/// Keeps profiles with both an inference and a training step planned, which leaves out most doubled
/// contexts. Returns all if none has both.
ProfileList planned_in_full(const ProfileList& profiles);

ProfileList select_all(const std::vector<MemoryProfile>& profiles);

ProfileList select_precision(const std::vector<MemoryProfile>& profiles,
                             std::optional<Precision> precision);

/// Returns the profiles of `profile`'s network and batch in `precision`, shortest context first.
ProfileList select_same_network(const std::vector<MemoryProfile>& profiles,
                                const MemoryProfile& profile, Precision precision);

/// "backward", "the optimizer"
std::string phase_words(const std::string& phase);

bool any_peak_measured(const ProfileList& profiles);

/// Returns the precision to compare with the first one: BF16, else FP16, TF32 or FP32, if any.
std::optional<Precision> reduced_precision(const std::vector<MemoryProfile>& profiles);

/// Returns the device's memory, or the limit that the launch was given; 0 if unknown.
double capacity_bytes(const RunView& view, const MemoryStep& step);

/// Sets `gpu`, `size`, `precision` and `nothing` (no described step has a measured peak).
void set_common_facts(Facts& facts, const std::vector<MemoryProfile>& profiles);

/// Returns "training step: out of memory in forward: …" for each mode without a measured peak.
std::string why_no_peaks(const MemoryProfile& profile);

/// Returns the warnings of all launches, each after its profile's label and its mode.
std::vector<std::string> warnings(const std::vector<MemoryProfile>& profiles);

}  // namespace labreport::memory_profiling
