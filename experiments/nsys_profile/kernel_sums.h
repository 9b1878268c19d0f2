// Kernels added up by name or by operator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/document.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// Times in ms. The median is of the operations' medians, weighted by their calls.
struct KernelSum {
  std::string name;
  std::string kind;  ///< Of its longest row.
  std::int64_t instances = 0;
  double total = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  double stddev = 0;
};

using NameOf = std::function<std::string(const KernelRow&)>;

/// The most time first.
std::vector<KernelSum> summed(const Rows& rows, const NameOf& name);
std::vector<KernelSum> by_kernel(const Rows& rows);

/// The first of Nsight Systems' columns, with short names; `most` rows at most, the others as one.
TableView nsight_table(const std::string& slug, const std::string& title, const Rows& rows,
                       std::size_t most);

}  // namespace labreport::nsys_profile
