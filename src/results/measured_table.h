// A table that a worker wrote, read by column names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Null when the launch holds no table of that name.
const Table* find_table(const Launch& launch, std::string_view name);

/// A row of a table of the launch, which has to outlive it.
class MeasuredRow {
 public:
  MeasuredRow(const Table& table, std::size_t row) : table_(&table), row_(row) {}

  /// Empty where the column is absent or holds no text.
  std::string text(std::string_view column) const;
  /// Nothing where the column is absent, null or no number.
  std::optional<double> number(std::string_view column) const;

 private:
  const Scalar* at(std::string_view column) const;

  const Table* table_;
  std::size_t row_;
};

/// None where there is no table of that name.
std::vector<MeasuredRow> measured_rows(const Launch& launch, std::string_view table);

}  // namespace labreport
