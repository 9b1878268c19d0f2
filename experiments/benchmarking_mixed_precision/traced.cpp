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

Traced::Traced(const Launch& launch) {
  const Table* table = find_table(launch, metric::kDtypes);
  if (table == nullptr) return;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const MeasuredRow row(*table, i);
    rows_.push_back({row.text("precision"), row.text("group"), row.text("name"),
                     short_dtype(row.text("dtype"))});
  }
}

std::vector<TracedDtype> Traced::group(std::string_view precision, std::string_view group) const {
  std::vector<TracedDtype> found;
  std::ranges::copy_if(rows_, std::back_inserter(found), [&](const TracedDtype& row) {
    return row.precision == precision && row.group == group;
  });
  return found;
}

std::string Traced::dtype(std::string_view precision, std::string_view group,
                          std::string_view name) const {
  for (const TracedDtype& row : this->group(precision, group)) {
    if (row.name == name) return row.dtype;
  }
  return "–";
}

std::string Traced::dtypes(std::string_view precision, std::string_view group) const {
  std::vector<std::string> distinct;
  for (const TracedDtype& row : this->group(precision, group)) {
    if (std::ranges::find(distinct, row.dtype) == distinct.end()) distinct.push_back(row.dtype);
  }
  return distinct.empty() ? "–" : join_words(distinct);
}

}  // namespace labreport::benchmarking_mixed_precision
