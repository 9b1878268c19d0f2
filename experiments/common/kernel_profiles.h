// Reads the profiled steps of a run, grouped by network, and the kernels of their passes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_places.h"
#include "experiments/common/timing.h"

namespace labreport {

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
  std::string group = {};  ///< See `kernel_group`.
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
template <>
inline constexpr auto kEnumNames<Pass> =
    enum_names<Pass>("pass", {{Pass::kForward, "forward", "forward"},
                              {Pass::kBackward, "backward", "backward"},
                              {Pass::kOptimizer, "optimizer", "optimizer"},
                              {Pass::kForwardBackward, "forward_backward", "forward+backward"},
                              {Pass::kTrainStep, "train_step", "training step"}});

/// Pointers to the rows of profiled steps.
using KernelRows = std::vector<const KernelRow*>;

/// The profiled steps of one network at one context and precision.
struct KernelProfile {
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
  /// that ran; several forward passes of a step are summed.
  KernelRows rows(Pass pass) const;
  /// Says why a pass has no kernels: "training step: out of memory …", or, if only a longer step
  /// was tried, "not measured (training step: out of memory …)". Empty if every step ran.
  std::string why_missing(Pass pass) const;
  double parameters() const;
  bool is_own_network() const { return spec.implementation.empty(); }
  Precision precision() const { return spec.precision.value_or(Precision::kFp32); }
};

KernelRows matching(const KernelRows& rows, const std::function<bool(const KernelRow&)>& predicate);
double total_ms(const KernelRows& rows);

/// True for a GEMM and for a helper that the GEMM's operator launched beside it.
bool is_gemm(const KernelRow& row);
bool is_non_gemm(const KernelRow& row);

/// Returns a run's profiles in order of precision, size and context. Leaves out cells that profiled
/// a process's first step, and contexts that the search for the longest context only passed
/// through.
std::vector<KernelProfile> kernel_profiles(const RunView& view);

inline constexpr const char* kOtherKernels = "other";

/// Returns the group of a kernel other than a GEMM. In labreport's own network the groups
/// are "softmax", "scale and mask", "RoPE", "SwiGLU", "RMSNorm" and "residual". In other networks
/// the group is the kernel's place. All networks also have the groups "other copies" and "other".
/// "SwiGLU" is the gating between the FFN's linear layers: what a linear layer does besides its
/// GEMM is "other", in the FFN as in attention. `module` is the path of the kernel's module.
std::string kernel_group(const KernelPlace& place, std::string_view module, const std::string& kind,
                         bool own_network);

}  // namespace labreport
