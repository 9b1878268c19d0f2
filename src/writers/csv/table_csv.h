// Writes tables of the report as comma-separated values with full precision, for spreadsheets and
// scripts.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Heads are "title (unit)". Numbers are in their column's unit, unrounded; a column of "value ±
/// deviation" is followed by "title deviation (unit)". Missing values are empty; the last column,
/// `note`, has the reason and the row's remarks.
std::string table_csv(const TableView& table);

/// A table as a file: `name` is "<problem>.<part>" if the part has one table, and
/// "<problem>.<part>.<slug>" if it has several. Data of figures are "….figure-<slug>".
struct NamedTable {
  std::string name;
  const TableView* table = nullptr;
};

/// Every table of the document in its order, those of figures and details included.
std::vector<NamedTable> named_tables(const Document& document);

}  // namespace labreport
