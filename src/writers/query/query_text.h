// The formats in which `labreport query` prints what a query selected.
#pragma once

#include <string>

#include "query/database.h"

namespace labreport {

/// Puts columns side by side for a terminal: numbers have six digits, long texts are cut, and NULL
/// is "–".
std::string as_table(const QueryResult& result);

/// Makes a pipe table with the same numbers and whole texts.
std::string as_markdown(const QueryResult& result);

/// Writes a head and the rows; numbers have fifteen digits, and NULL is an empty field. See
/// base/csv.h.
std::string as_csv(const QueryResult& result);

/// Writes an array of objects whose keys are the columns; numbers keep all digits.
std::string as_json(const QueryResult& result);

}  // namespace labreport
