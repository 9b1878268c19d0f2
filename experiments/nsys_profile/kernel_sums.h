// Kernels added up by name or by what they do, and all of them as a CSV.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// Times in ms. `median` is that of the rows' medians, each counted as often as the row's calls.
struct KernelSum {
  std::string name;
  std::string kind;  ///< The kind of the row with the most time.
  double calls = 0;
  double total = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  double stddev = 0;
  Rows rows = {};

  double mean() const { return total / calls; }
};

/// The classes that figures show: "GEMM", "elementwise", "reduction", "copy", "other".
const std::vector<std::string>& drawn_classes();
std::string drawn_class(std::string_view kind);
std::function<bool(const KernelRow&)> of_class(const std::string& drawn);
/// A drawn class in a sentence: "elementwise kernels", "reductions"; `kernels` is "operators" where
/// a CPU ran them.
std::string class_words(const std::string& drawn, const std::string& kernels);

using NameOf = std::function<std::string(const KernelRow&)>;

/// Gives a sum for each result of `name`, the longest total first.
std::vector<KernelSum> summed(const Rows& rows, const NameOf& name);
std::vector<KernelSum> by_kernel(const Rows& rows);

inline constexpr const char* kKernelsFile = "kernels.csv";

/// A row for each kernel of each phase by its full name, the longest first within a phase. The
/// columns are profile, step and phase, then those of Nsight Systems' kernel summary: percentages
/// of the phase's time, and times in ns.
std::string kernels_csv(const std::vector<Profile>& profiles);

}  // namespace labreport::nsys_profile
