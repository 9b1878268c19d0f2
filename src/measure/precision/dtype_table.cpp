#include "measure/precision/dtype_table.h"

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Returns PyTorch's name of the dtype.
std::string dtype_name(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::kFloat:
      return "float32";
    case c10::kHalf:
      return "float16";
    case c10::kBFloat16:
      return "bfloat16";
    case c10::kDouble:
      return "float64";
    default:
      return c10::toString(dtype);
  }
}

}  // namespace

DtypeTable::DtypeTable()
    : table_{std::string(metric::kDtypes),
             {{"precision", ""}, {"group", ""}, {"name", ""}, {"dtype", ""}},
             {}} {}

void DtypeTable::add(std::string_view group, std::string_view name, const at::Tensor& tensor) {
  table_.rows.push_back({std::string(labreport::name(precision_)), std::string(group),
                         std::string(name), dtype_name(tensor.scalar_type())});
}

}  // namespace labreport
