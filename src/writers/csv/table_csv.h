// Writes tables of the report as comma-separated values with full precision.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Writes a head "title (unit)" for each column, and numbers unrounded in that unit. A column with
/// deviations is followed by a column "title deviation (unit)". Missing values are empty fields;
/// the last column, `note`, has the reason for them and the row's remarks.
std::string table_csv(const TableView& table);

/// A table and its file's name: "<problem>.<letter>" for the part's only table, else
/// "<problem>.<letter>.<slug>". A figure's data is named "<problem>.<letter>.figure-<slug>".
struct NamedTable {
  std::string name;
  const TableView* table = nullptr;
};

/// Returns all tables of the document, the data of figures and the tables of details included.
std::vector<NamedTable> named_tables(const Document& document);

}  // namespace labreport
