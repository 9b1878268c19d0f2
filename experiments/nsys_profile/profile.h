// Profiled steps as presenters see them: grouped by network, their kernels by phase.
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

/// Kernels of one name that one operation launched in one phase; times in ms, `instances` ≥ 1.
struct KernelRow {
  std::string phase;   ///< "forward"; empty: unattributed.
  std::string module;  ///< "layers/attn/q_proj"
  std::string op;      ///< The innermost ATen operator: "aten::mm"
  std::string kind;    ///< The kernel class: "gemm", "elementwise".
  std::string kernel;  ///< The full name.
  double instances = 0;
  double total = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  double stddev = 0;
  KernelPlace place = {};
  std::string group = {};  ///< See `group_of` in model_parts.h.
};

/// Full kernel names by the ids that the launch's other tables use.
using KernelNames = std::map<std::int64_t, std::string>;
KernelNames kernel_names(const Launch& launch);

struct ProfiledStep {
  const CellSpec* spec;
  const Launch* launch;
  std::vector<KernelRow> rows;

  /// The metric's only value in ms; nothing if the metric is absent.
  std::optional<double> value(std::string_view tag, std::string_view name) const;
  /// The metric's value in ms for each unprofiled step.
  std::vector<double> samples(std::string_view tag, std::string_view name) const;
  /// True if the share of time that kernels fill differs by over 5 percentage points between the
  /// profiled step and the unprofiled steps: the profiler changed the step.
  bool perturbed() const;
};

/// The parts of a step whose kernels are counted together.
enum class Pass { kForward, kBackward, kOptimizer, kForwardBackward, kTrainStep };
std::string_view describe(Pass pass);

using Rows = std::vector<const KernelRow*>;

/// One network at one context and precision.
struct Profile {
  std::string label;                      ///< "2.7B, 512"; "2.7B, 512, BF16"
  std::string network;                    ///< "2.7B at context 512"
  std::string words;                      ///< "2.7B at context 512 in FP32"
  CellSpec spec;                          ///< Without mode, warm-up and steps.
  std::optional<ProfiledStep> inference;  ///< Empty if it did not run.
  std::optional<ProfiledStep> step;       ///< The longest other step that ran.
  Mode missing_step = {};                 ///< The mode of a step without numbers.
  std::string reason;                     ///< Why that step has no numbers: "out of memory …"
  std::vector<const Cell*> cells;

  bool empty() const { return !inference && !step; }
  /// Takes the forward pass from inference if that ran. Empty if the pass was not measured.
  Rows rows(Pass pass) const;
  /// Says why a pass has no kernels: "training step: out of memory …", and "not measured (training
  /// step: out of memory …)" where only a longer step was tried. Empty where every step ran.
  std::string why_missing(Pass pass) const;
  double parameters() const;
  bool built_in() const { return spec.implementation.empty(); }  ///< True for labreport's network.
  Precision precision() const { return spec.precision.value_or(Precision::kFp32); }
};

Rows matching(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate);
double total(const Rows& rows);  ///< ms
double calls(const Rows& rows);

/// A GEMM or a helper that its operator launched beside it.
bool is_gemm(const KernelRow& row);
bool is_non_gemm(const KernelRow& row);
/// The matching kernels' share of the rows' GPU time; 0 if there are no rows.
double share(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate);
double gemm_share(const Rows& rows);

/// The matching kernels' share of the pass's GPU time, or why the pass was not measured.
Value share_of(const Profile& profile, Pass pass,
               const std::function<bool(const KernelRow&)>& predicate);

/// A run's profiles, in order of precision, size and context. Leaves out cells that profiled a
/// process's first step, and contexts that the doubling search only passed through.
class Profiles {
 public:
  explicit Profiles(const RunView& run);
  Profiles(const Profiles&) = delete;

  const RunView& view;
  std::vector<Profile> all;
  /// Profiles in the open tables, with or without numbers: those in the precision (2025: and at the
  /// context) of `described`, and `half`. If nothing ran, every profile.
  std::vector<const Profile*> in_tables;
  std::vector<const Profile*> in_details;  ///< All profiles, as the collapsed details show.
  /// The profile that the answers describe, in the first precision that ran; null if none ran.
  /// 2026: the largest network at its longest context. 2025: at the reference context, else the
  /// longest, the largest network with a profiled training step, else the largest.
  const Profile* described = nullptr;
  const Profile* half = nullptr;  ///< `described` in 16 bits; null if it did not run.

  /// Facts that every part needs, such as `gpu`, `own` and `kernels`.
  Facts facts() const;
  /// "kernels"; on a CPU "operators".
  std::string kernels() const;

 private:
  void choose();
};

/// Shows a row's value, or its `missing` as the reason if that is not empty.
template <typename Row>
std::function<Value(const Row&)> or_reason(std::function<Value(const Row&)> value) {
  return [value = std::move(value)](const Row& row) {
    return row.missing.empty() ? value(row) : Value::missing(row.missing);
  };
}

}  // namespace labreport::nsys_profile
