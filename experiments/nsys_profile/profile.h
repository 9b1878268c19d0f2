// Profiled steps as presenters see them: grouped by network, their kernels by phase.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.h"
#include "experiments/common/timing.h"

namespace labreport::nsys_profile {

/// Kernels of one name that one operation launched in one phase, at least one; times in ms.
struct KernelRow {
  std::string phase;      ///< "forward"; empty: unattributed.
  std::string module;     ///< "layers/attn/q_proj"
  std::string operation;  ///< "Linear"
  std::string op;         ///< The innermost ATen operator: "aten::mm"
  std::string kind;       ///< "gemm"; see `classes`.
  std::string kernel;     ///< The full name.
  double instances = 0;
  double total = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  double stddev = 0;
};

/// By the ids that a launch's other tables know them by.
using KernelNames = std::map<std::int64_t, std::string>;
KernelNames kernel_names(const Launch& launch);

/// One step that was profiled.
struct ProfiledStep {
  const CellSpec* spec;
  const Launch* launch;
  std::vector<KernelRow> rows;

  /// Milliseconds of a single value; nothing when the metric is absent.
  std::optional<double> value(std::string_view tag, std::string_view name) const;
  /// Of the unprofiled steps, in ms.
  std::vector<double> samples(std::string_view tag, std::string_view name) const;
};

/// One network at one context and precision.
struct Profile {
  std::string label;                      ///< "2.7B, 512"; "2.7B, 512, BF16"
  std::string words;                      ///< "2.7B at context 512 in FP32"
  CellSpec spec;                          ///< Without mode, warm-up and steps.
  std::optional<ProfiledStep> inference;  ///< Present where they ran.
  std::optional<ProfiledStep> step;       ///< The fullest other step that ran.
  std::string missing;  ///< Why a step has no numbers: "train step: out of memory …"
  std::vector<const Cell*> cells;

  bool empty() const { return !inference && !step; }
};

/// In plan order; a process's first step is none of them. Contexts that were only passed on the way
/// to longer ones are left out.
std::vector<Profile> profiles_of(const RunView& view);

/// At the contexts and in the precision that the answers speak of, those without numbers too; all
/// where nothing ran: what the first tables hold.
std::vector<Profile> spoken_of(const RunView& view, const std::vector<Profile>& profiles);

/// What the answers speak of. 2026: every profile. 2025: the largest size at the reference context
/// whose train step was profiled; where there is none, the largest.
std::vector<const Profile*> answered(const RunView& view, const std::vector<Profile>& profiles);

/// The largest size at its longest context of what the answers speak of; null: nothing ran.
const Profile* foremost(const std::vector<const Profile*>& answered);

/// The parts of a step whose kernels are counted together.
enum class Pass { kForward, kForwardBackward, kTrainStep };
std::string_view describe(Pass pass);

using Rows = std::vector<const KernelRow*>;

/// The forward pass is that of inference where it ran. Empty: not measured.
Rows rows_of(const Profile& profile, Pass pass);
Rows matching(const Rows& rows, const std::function<bool(const KernelRow&)>& wanted);
double total(const Rows& rows);  ///< ms
std::int64_t instances(const Rows& rows);

/// A GEMM or a helper that its operator launched beside it.
bool is_matrix_product(const KernelRow& row);

/// Facts that every part has: `nothing`, `several`, `gpu`, `kernel` (what kernels are called on
/// this device), and `missing`, a list of words, reason.
void set_common(Facts& facts, const RunView& view, const std::vector<Profile>& profiles);

}  // namespace labreport::nsys_profile
