// Adds up kernels by name, by class or by purpose, and writes all kernels as a CSV file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/nsys_profile/profiles.h"

namespace labreport::nsys_profile {

/// Several rows added up. `median_ms` is the median of the rows' medians, weighted by calls.
struct KernelSum {
  std::string name;
  std::string kind;  ///< The class of the row with the most time.
  double calls = 0;
  double total_ms = 0;
  double min_ms = 0;
  double median_ms = 0;
  double max_ms = 0;
  double stddev_ms = 0;
  KernelRows rows = {};

  double mean_ms() const { return total_ms / calls; }
};

/// Returns the classes that figures show: "GEMM", "elementwise", "reduction", "copy", "other".
const std::vector<std::string>& drawn_classes();
/// Returns the drawn class of a kernel by its class and operator. PyTorch's _foreach operators,
/// which take lists of tensors, are elementwise.
std::string drawn_class(std::string_view kind, std::string_view op);
/// Returns a predicate that is true for kernels of the drawn class.
std::function<bool(const KernelRow&)> has_drawn_class(const std::string& drawn);
/// Writes a drawn class in words: "elementwise kernels", "reductions". `kernels_word` is
/// `Profiles::kernels_word()`.
std::string describe_class(const std::string& drawn, const std::string& kernels_word);

/// Returns the operator without "aten::", or else the kernel's short name.
std::string operator_name(const KernelRow& row);

/// Groups rows by the result of `key` and returns a sum for each group, the longest total first.
std::vector<KernelSum> sums_by(const KernelRows& rows,
                               const std::function<std::string(const KernelRow&)>& key);
/// Groups rows by the kernel's full name.
std::vector<KernelSum> sums_by_kernel(const KernelRows& rows);

inline constexpr const char* kKernelsFile = "kernels.csv";

/// Writes a row for each kernel of each phase, the longest total first within a phase.
/// KernelProfile, step and phase precede the columns of Nsight Systems' kernel summary: percent of
/// the phase, and times in ns.
std::string kernels_csv(const std::vector<KernelProfile>& profiles);

}  // namespace labreport::nsys_profile
