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

/// One cell, whether it ran or not.
struct Step {
  const Cell* cell;
  const Launch* launch;  ///< Null if nothing was launched yet.

  const CellSpec& spec() const { return cell->spec; }
  Mode mode() const { return spec().mode.value_or(Mode::kForward); }
  bool ok() const;
  /// Null if it did not run out of memory.
  const OutOfMemory* out_of_memory() const;
  /// The value of a metric in bytes; nothing if it is absent.
  std::optional<double> bytes(std::string_view tag, std::string_view name) const;
  /// The bytes of a category at the peak.
  std::optional<double> category(std::string_view name) const;
  /// The phase in which the step's peak lies; empty if no phase that was measured reaches it.
  std::string peak_phase() const;
  /// The reason why the step or its peak is missing; empty if it is there.
  std::string missing() const;
};

inline constexpr Notation kNamed{Notation::kName};

/// One network at one context and precision.
struct Profile {
  Value place;        ///< Its context, behind the size if the run has several sizes.
  Value label;        ///< The place, before the precision if the run has several.
  std::string words;  ///< "2.7B at context 512"
  CellSpec spec;      ///< Without mode.
  std::map<Mode, Step> steps;

  /// The step in that mode, whether it ran or not; null if the run has none.
  const Step* planned(Mode mode) const;
  /// The step in that mode; null if it did not run.
  const Step* ran(Mode mode) const;
  /// The longest step with a backward pass that ran; null if none did.
  const Step* with_backward() const;
  /// The peak of allocated bytes; nothing if that mode did not run.
  std::optional<double> peak(Mode mode) const;
  std::int64_t context() const { return spec.context.value_or(0); }
  std::string precision() const;  ///< "FP32"
};

/// Sorted by size, largest first, then by precision, FP32 first, then by context. Contexts that
/// doubling only passed on the way to longer ones have a training step and nothing else.
std::vector<Profile> profiles_of(const RunView& view);

using Profiles = std::vector<const Profile*>;

/// The profiles that the answers describe, by context: those of the largest network whose training
/// step ran at some context (else of which anything ran, else any), in the first precision.
Profiles described_profiles(const std::vector<Profile>& profiles);

/// Leaves out contexts that doubling only passed on the way to longer ones: the others have both an
/// inference forward and a training step. Returns all if that leaves none.
Profiles planned_in_full(const Profiles& profiles);

Profiles all_of(const std::vector<Profile>& profiles);

Profiles of_precision(const std::vector<Profile>& profiles, std::optional<Precision> precision);

/// The profiles of the same network in `precision`, by context.
Profiles of_same_network(const std::vector<Profile>& profiles, const Profile& profile,
                         Precision precision);

/// "backward", "the optimizer"
std::string phase_words(const std::string& phase);

/// True if any profile has numbers.
bool anything_ran(const Profiles& profiles);

/// The precision that the answers compare theirs with, if the run has one.
std::optional<Precision> reduced_precision(const std::vector<Profile>& profiles);

/// The device's memory in bytes, or the cap set on it; 0 if unknown.
double capacity(const RunView& view, const Step& step);

/// Facts that every part has: `nothing`, `gpu`, `size` and `precision`.
void set_common(Facts& facts, const RunView& view, const std::vector<Profile>& profiles);

/// "training step: out of memory in forward: …" for what did not run; empty if everything did.
std::string reasons_missing(const Profile& profile);

/// The warnings of all launches, each behind the name of its row.
std::vector<std::string> warnings(const std::vector<Profile>& profiles);

}  // namespace labreport::memory_profiling
