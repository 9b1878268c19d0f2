// Dtypes as the worker traced them, under autocast to FP16 and to BF16.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::benchmarking_mixed_precision {

inline constexpr const char* kFp16 = "fp16";
inline constexpr const char* kBf16 = "bf16";

struct TracedDtype {
  std::string precision;  ///< The autocast precision: "fp16"
  std::string group;      ///< One of metric_names.h: "output"
  std::string name;
  std::string dtype;  ///< "FP32"
};

/// Listed in the order in which they were traced.
struct Trace {
  std::vector<TracedDtype> tensors;

  std::vector<TracedDtype> in(std::string_view precision, std::string_view group) const;
  /// Returns "–" if the tensor was not traced.
  std::string dtype(std::string_view precision, std::string_view group,
                    std::string_view name) const;
  /// The dtypes of all tensors of a group: "FP32", "FP16 and FP32"; "–" if none was traced.
  std::string dtypes(std::string_view precision, std::string_view group) const;
};

/// Returns an empty trace if `launch` is null.
Trace trace_of(const Launch* launch);

}  // namespace labreport::benchmarking_mixed_precision
