// Dtypes as the worker traced them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::benchmarking_mixed_precision {

/// Names of autocast precisions.
inline constexpr const char* kFp16 = "fp16";
inline constexpr const char* kBf16 = "bf16";

struct TracedDtype {
  std::string precision;  ///< Of autocast: "fp16"
  std::string group;
  std::string name;
  std::string dtype;  ///< As readers see it: "FP32"
};

class Traced {
 public:
  explicit Traced(const Launch& launch);

  /// Rows of a group under one autocast, in the order in which they were traced.
  std::vector<TracedDtype> group(std::string_view precision, std::string_view group) const;
  /// One tensor's dtype; "–" where it was not traced.
  std::string dtype(std::string_view precision, std::string_view group,
                    std::string_view name) const;
  /// "FP32", or "FP16 and FP32" where a group's tensors differ.
  std::string dtypes(std::string_view precision, std::string_view group) const;

 private:
  std::vector<TracedDtype> rows_;
};

}  // namespace labreport::benchmarking_mixed_precision
