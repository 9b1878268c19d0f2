#include "experiments/benchmarking_mixed_precision/dtype_trace.h"

#include "base/lists.h"
#include "base/text.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

std::string short_dtype(const std::string& dtype) {
  if (dtype == "float32") return "FP32";
  if (dtype == "float16") return "FP16";
  return dtype == "bfloat16" ? "BF16" : dtype;
}

}  // namespace

DtypeTrace dtype_trace(const Launch* launch) {
  DtypeTrace trace;
  if (launch == nullptr) return trace;
  for (const MeasuredRow& row : measured_rows(*launch, metric::kDtypes)) {
    trace.tensors.push_back({row.text("precision"), row.text("group"), row.text("name"),
                             short_dtype(row.text("dtype"))});
  }
  return trace;
}

std::vector<TracedTensor> DtypeTrace::tensors_in(std::string_view precision,
                                                 std::string_view group) const {
  return only(tensors, [&](const TracedTensor& tensor) {
    return tensor.precision == precision && tensor.group == group;
  });
}

std::string DtypeTrace::dtypes_of(std::string_view precision, std::string_view group,
                                  std::string_view name) const {
  const auto named = only(tensors_in(precision, group), [&](const TracedTensor& tensor) {
    return name.empty() || tensor.name == name;
  });
  const auto dtypes = distinct(each(named, &TracedTensor::dtype));
  return dtypes.empty() ? "–" : join_words(dtypes);
}

}  // namespace labreport::benchmarking_mixed_precision
