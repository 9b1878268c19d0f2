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
  /// Null if the step did not run out of memory.
  const OutOfMemory* out_of_memory() const;
  /// The value of a metric in bytes; nothing if it is absent.
  std::optional<double> bytes(std::string_view tag, std::string_view name) const;
  /// The bytes that a category holds at the step's peak; nothing if they were not measured.
  std::optional<double> category(std::string_view name) const;
  /// The phase in which the step's peak lies; empty if no measured phase reaches the peak.
  std::string peak_phase() const;
  /// Says why the step has no measured peak; empty if it has one.
  std::string missing() const;
};

inline constexpr Notation kNamed{Notation::kName};

/// One network at one context and precision.
struct Profile {
  Value place;        ///< "2.7B, 512"; only 512 if all profiles have one size.
  Value label;        ///< "2.7B, 512, FP32"; the place alone if all have one precision.
  std::string words;  ///< "2.7B at context 512"
  CellSpec spec;      ///< Without mode.
  std::map<Mode, Step> steps;

  /// The step in that mode, whether it ran or not; null if the run has none.
  const Step* planned(Mode mode) const;
  /// The step in that mode; null if it did not run.
  const Step* ran(Mode mode) const;
  /// The training step if it ran, else forward+backward; null if neither ran.
  const Step* with_backward() const;
  /// The peak of allocated bytes; nothing if that mode did not run.
  std::optional<double> peak(Mode mode) const;
  std::int64_t context() const { return spec.context.value_or(0); }
  std::string precision() const;  ///< "FP32"
};

/// Sorted by size, largest first, then by precision, FP32 first, then by context. A context that
/// the doubling search only passed through has a training step and no other step.
std::vector<Profile> profiles_of(const RunView& view);

using Profiles = std::vector<const Profile*>;

/// The profiles that the answers describe, shortest context first, in the run's first precision:
/// those of the largest network whose training step ran, else of which any step ran, else of all.
Profiles described_profiles(const std::vector<Profile>& profiles);

/// Keeps profiles with both an inference and a training step planned, which leaves out contexts
/// that doubling only passed through. Returns all if none has both.
Profiles planned_in_full(const Profiles& profiles);

Profiles all_of(const std::vector<Profile>& profiles);

Profiles of_precision(const std::vector<Profile>& profiles, std::optional<Precision> precision);

/// The profiles of the same network and batch in `precision`, shortest context first.
Profiles of_same_network(const std::vector<Profile>& profiles, const Profile& profile,
                         Precision precision);

/// "backward", "the optimizer"
std::string phase_words(const std::string& phase);

/// True if any step of any profile ran.
bool anything_ran(const Profiles& profiles);

/// The precision to compare with the answers' own: BF16, else FP16 or TF32; nothing without one.
std::optional<Precision> reduced_precision(const std::vector<Profile>& profiles);

/// The device's memory in bytes, or the limit that the launch was given; 0 if unknown.
double capacity(const RunView& view, const Step& step);

/// Sets `nothing` (no described step ran), `gpu`, `size` and `precision`, which most parts need.
void set_common(Facts& facts, const RunView& view, const std::vector<Profile>& profiles);

/// "training step: out of memory in forward: …" for what did not run; empty if everything did.
std::string reasons_missing(const Profile& profile);

/// The warnings of all launches, each after its profile's label and its mode.
std::vector<std::string> warnings(const std::vector<Profile>& profiles);

}  // namespace labreport::memory_profiling
