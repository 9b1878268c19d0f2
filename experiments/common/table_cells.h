// Cells of the report's tables, formatted the one way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Mean ± sample standard deviation; "–" for no samples.
CellView mean_cell(const std::vector<double>& milliseconds);
CellView ms_cell(std::optional<double> milliseconds);
/// In per cent.
CellView share_cell(std::optional<double> share);
CellView count_cell(std::int64_t count);
CellView count_cell(double count);
CellView text_cell(std::string text);
CellView number_cell(std::string text, double value);
CellView deviating_cell(double value, double deviation);  ///< "116.71 ± 0.29"
CellView missing_cell();

/// Says why cells of a row are missing: in their place when all are, beside the row when some are.
/// The first `labels` cells name the row.
void explain(RowView& row, const std::string& reason, std::size_t labels = 1);

/// Columns without a number or word in any row say nothing and go; the first `labels` stay. Where
/// no column is left, neither are rows: the report leaves such a table out.
void drop_empty_columns(TableView& table, std::size_t labels);

/// Adds those words that the row does not carry yet.
void add_flags(RowView& row, const std::vector<std::string>& words);

}  // namespace labreport
