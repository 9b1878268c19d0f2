// Chooses the profiles that answers and tables show, and adds up their kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/measures.h"
#include "document/facts.h"
#include "experiments/common/kernel_profiles.h"

namespace labreport::nsys_profile {

/// Returns the matching kernels' share of the rows' GPU time; 0 if there are no rows.
double time_share(const KernelRows& rows, const std::function<bool(const KernelRow&)>& predicate);
double gemm_share(const KernelRows& rows);

/// Returns the matching kernels' share of the pass's GPU time, or why the pass was not measured.
Value share_or_reason(const KernelProfile& profile, Pass pass,
                      const std::function<bool(const KernelRow&)>& predicate);

/// A run's profiles in order of precision, size and context. Leaves out cells that profiled a
/// process's first step, and contexts that the search for the longest context only passed through.
class Profiles {
 public:
  explicit Profiles(const RunView& run);
  Profiles(const Profiles&) = delete;

  const RunView& view;
  const Limits limits;  ///< The limits that the run measured.
  std::vector<KernelProfile> all;
  /// The profiles in the tables outside the collapsed details, with or without numbers: those in
  /// the precision of `in_answers` (2025: and at its context), and `in_answers_16_bit`. If nothing
  /// ran, every profile.
  std::vector<const KernelProfile*> in_tables;
  std::vector<const KernelProfile*> in_details;  ///< The profiles in the collapsed details: all.
  /// The profile that the answers describe, in the first precision that ran; null if none ran.
  /// 2026: the largest network at its longest context. 2025: at the reference context, or else the
  /// longest one, the largest network with a profiled training step, or else the largest network.
  const KernelProfile* in_answers = nullptr;
  /// `in_answers` in 16 bits; null if it did not run in 16 bits.
  const KernelProfile* in_answers_16_bit = nullptr;

  /// Returns the facts that every part needs, such as `gpu`, `own` and `kernels`.
  Facts facts() const;
  /// Returns "kernels", or "operators" on a CPU.
  std::string kernels_word() const;
};

/// Returns a column's values: a row's `value`, or its `reason` if that is not empty.
template <typename Row>
std::function<Value(const Row&)> or_reason(std::function<Value(const Row&)> value) {
  return [value = std::move(value)](const Row& row) {
    return row.reason.empty() ? value(row) : Value::missing(row.reason);
  };
}

}  // namespace labreport::nsys_profile
