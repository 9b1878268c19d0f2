// Reads the dtypes that the worker traced under autocast to FP16 and to BF16.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::benchmarking_mixed_precision {

inline constexpr const char* kFp16 = "fp16";
inline constexpr const char* kBf16 = "bf16";

struct TracedTensor {
  std::string precision;  ///< The autocast precision: "fp16"
  std::string group;      ///< A group of tensors of metric_names.h: "output"
  std::string name;
  std::string dtype;  ///< "FP32"
};

/// The tensors are in the order in which they were traced.
struct DtypeTrace {
  std::vector<TracedTensor> tensors;

  std::vector<TracedTensor> tensors_in(std::string_view precision, std::string_view group) const;
  /// Lists the distinct dtypes of a group, or of its tensors of one name: "FP32", "FP16 and FP32";
  /// "–" if none was traced.
  std::string dtypes_of(std::string_view precision, std::string_view group,
                        std::string_view name = {}) const;
};

/// Returns an empty trace if `launch` is null.
DtypeTrace dtype_trace(const Launch* launch);

}  // namespace labreport::benchmarking_mixed_precision
