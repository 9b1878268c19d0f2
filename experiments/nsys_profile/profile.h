// Reads the profiled steps of a run, grouped by network, and the kernels of their passes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_places.h"
#include "document/facts.h"
#include "experiments/common/timing.h"

namespace labreport::nsys_profile {

/// The kernels of one name that one operation launched in one phase.
struct KernelRow {
  std::string phase;     ///< "forward"; empty if the kernels belong to no phase.
  std::string module;    ///< "layers/attn/q_proj"
  std::string op;        ///< The innermost ATen operator: "aten::mm"
  std::string kind;      ///< The kernel class: "gemm", "elementwise".
  std::string kernel;    ///< The kernel's full name.
  double instances = 0;  ///< The number of launches, at least 1.
  double total_ms = 0;
  double min_ms = 0;
  double median_ms = 0;
  double max_ms = 0;
  double stddev_ms = 0;
  KernelPlace place = {};
  std::string group = {};  ///< See `group_of` in model_parts.h.
};

/// Full kernel names by their ids, which the other tables of the launch use.
using KernelNames = std::map<std::int64_t, std::string>;
KernelNames kernel_names(const Launch& launch);

/// A step that ran under the profiler, after unprofiled steps in the same process.
struct ProfiledStep {
  const CellSpec* spec;
  const Launch* launch;
  std::vector<KernelRow> rows;

  /// A metric with one value, in ms; nothing if the metric is absent.
  std::optional<double> value_ms(std::string_view tag, std::string_view name) const;
  /// A metric in ms, one value for each unprofiled step.
  std::vector<double> samples_ms(std::string_view tag, std::string_view name) const;
  /// True if the profiler changed the step: the share of time in which kernels run differs by more
  /// than 5 percentage points between the profiled step and the unprofiled steps.
  bool is_perturbed() const;
};

/// A part of a step whose kernels are added up.
enum class Pass { kForward, kBackward, kOptimizer, kForwardBackward, kTrainStep };
std::string_view describe(Pass pass);

/// Pointers to the rows of profiled steps.
using Rows = std::vector<const KernelRow*>;

/// The profiled steps of one network at one context and precision.
struct Profile {
  std::string label;                      ///< "2.7B, 512"; "2.7B, 512, BF16"
  std::string network;                    ///< "2.7B at context 512"
  std::string full_name;                  ///< "2.7B at context 512 in FP32"
  CellSpec spec;                          ///< Without mode, warm-up and steps.
  std::optional<ProfiledStep> inference;  ///< Empty if it did not run.
  std::optional<ProfiledStep> step;       ///< The longest step besides inference that ran.
  Mode missing_mode = {};                 ///< The mode of the first step without numbers, if any.
  std::string reason;                     ///< Why `missing_mode` has no numbers; empty if all ran.
  std::vector<const Cell*> cells;

  bool empty() const { return !inference && !step; }
  /// Returns a pass's kernels; empty if it was not measured. Forward is taken from inference if
  /// that ran.
  Rows rows(Pass pass) const;
  /// Says why a pass has no kernels: "training step: out of memory …", or, if only a longer step
  /// was tried, "not measured (training step: out of memory …)". Empty if every step ran.
  std::string why_missing(Pass pass) const;
  double parameters() const;
  bool is_own_network() const { return spec.implementation.empty(); }
  Precision precision() const { return spec.precision.value_or(Precision::kFp32); }
};

Rows matching(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate);
double total_ms(const Rows& rows);
double call_count(const Rows& rows);

/// True for a GEMM and for a helper that the GEMM's operator launched beside it.
bool is_gemm(const KernelRow& row);
bool is_non_gemm(const KernelRow& row);
/// Returns the matching kernels' share of the rows' GPU time; 0 if there are no rows.
double time_share(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate);
double gemm_share(const Rows& rows);

/// Returns the matching kernels' share of the pass's GPU time, or why the pass was not measured.
Value share_or_reason(const Profile& profile, Pass pass,
                      const std::function<bool(const KernelRow&)>& predicate);

/// A run's profiles in order of precision, size and context. Leaves out cells that profiled a
/// process's first step, and contexts that the search for the longest context only passed through.
class Profiles {
 public:
  explicit Profiles(const RunView& run);
  Profiles(const Profiles&) = delete;

  const RunView& view;
  std::vector<Profile> all;
  /// The profiles in the tables outside the collapsed details, with or without numbers: those in
  /// the precision of `in_answers` (2025: and at its context), and `in_answers_16_bit`. If nothing
  /// ran, every profile.
  std::vector<const Profile*> in_tables;
  std::vector<const Profile*> in_details;  ///< The profiles in the collapsed details: all.
  /// The profile that the answers describe, in the first precision that ran; null if none ran.
  /// 2026: the largest network at its longest context. 2025: at the reference context, or else the
  /// longest one, the largest network with a profiled training step, or else the largest network.
  const Profile* in_answers = nullptr;
  /// `in_answers` in 16 bits; null if it did not run in 16 bits.
  const Profile* in_answers_16_bit = nullptr;

  /// Returns the facts that every part needs, such as `gpu`, `own` and `kernels`.
  Facts facts() const;
  /// Returns "kernels", or "operators" on a CPU.
  std::string kernels_word() const;

 private:
  void choose_described();
};

/// Returns a column's values: a row's `value`, or its `reason` if that is not empty.
template <typename Row>
std::function<Value(const Row&)> or_reason(std::function<Value(const Row&)> value) {
  return [value = std::move(value)](const Row& row) {
    return row.reason.empty() ? value(row) : Value::missing(row.reason);
  };
}

}  // namespace labreport::nsys_profile
