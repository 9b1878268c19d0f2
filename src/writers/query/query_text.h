// The formats in which `labreport query` prints what a query selected.
#pragma once

#include <string>

#include "query/database.h"

namespace labreport {

/// Aligns columns for a terminal. Fractions have six significant digits, a text of more than 60
/// bytes is cut, and NULL is "–".
std::string as_table(const QueryResult& result);

/// Writes a pipe table with the numbers of `as_table` and uncut texts.
std::string as_markdown(const QueryResult& result);

/// Writes the column names and the rows as base/csv.h does; NULL is an empty field.
std::string as_csv(const QueryResult& result);

/// Writes an array of objects whose keys are the columns; numbers keep all digits.
std::string as_json(const QueryResult& result);

}  // namespace labreport
