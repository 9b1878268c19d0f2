// Reads a table that a worker wrote, by column names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Returns null if the launch has no table of that name.
const Table* find_table(const Launch& launch, std::string_view name);

/// Reads one row of a launch's table by column names. The launch must outlive this object.
class MeasuredRow {
 public:
  MeasuredRow(const Table& table, std::size_t row) : table_(&table), row_(row) {}

  /// Returns the text in the column; empty if the column is absent or holds no text.
  std::string text(std::string_view column) const;
  /// Returns the number in the column; empty if the column is absent or holds no number.
  std::optional<double> number(std::string_view column) const;

 private:
  const Scalar* find(std::string_view column) const;

  const Table* table_;
  std::size_t row_;
};

/// Returns the rows of the table; empty if the launch has no table of that name.
std::vector<MeasuredRow> measured_rows(const Launch& launch, std::string_view table);

}  // namespace labreport
