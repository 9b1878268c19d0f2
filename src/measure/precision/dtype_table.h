// The table "dtypes", with one row for each traced tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

class DtypeTable {
 public:
  DtypeTable();
  /// The following rows are for autocast to `precision`.
  void begin(Precision precision) { precision_ = precision; }
  void add(std::string_view group, std::string_view name, const at::Tensor& tensor);
  Table take() { return std::move(table_); }

 private:
  Precision precision_ = Precision::kFp16;
  Table table_;
};

}  // namespace labreport
