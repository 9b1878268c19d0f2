#include "experiments/benchmarking_mixed_precision/traced.h"

#include <algorithm>

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

Trace trace_of(const Launch* launch) {
  Trace trace;
  if (launch == nullptr) return trace;
  for (const MeasuredRow& row : measured_rows(*launch, metric::kDtypes)) {
    trace.tensors.push_back({row.text("precision"), row.text("group"), row.text("name"),
                             short_dtype(row.text("dtype"))});
  }
  return trace;
}

std::vector<TracedDtype> Trace::in(std::string_view precision, std::string_view group) const {
  std::vector<TracedDtype> found;
  std::ranges::copy_if(tensors, std::back_inserter(found), [&](const TracedDtype& tensor) {
    return tensor.precision == precision && tensor.group == group;
  });
  return found;
}

std::string Trace::dtype(std::string_view precision, std::string_view group,
                         std::string_view name) const {
  for (const TracedDtype& tensor : in(precision, group)) {
    if (tensor.name == name) return tensor.dtype;
  }
  return "–";
}

std::string Trace::dtypes(std::string_view precision, std::string_view group) const {
  std::vector<std::string> distinct;
  for (const TracedDtype& tensor : in(precision, group)) {
    if (std::ranges::find(distinct, tensor.dtype) == distinct.end())
      distinct.push_back(tensor.dtype);
  }
  return distinct.empty() ? "–" : join_words(distinct);
}

}  // namespace labreport::benchmarking_mixed_precision
