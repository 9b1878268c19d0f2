// An answer as text, in the formats of `labreport query`.
#pragma once

#include <string>

#include "query/database.h"

namespace labreport {

/// For a terminal: columns side by side, numbers to six digits, long texts cut, "–" for NULL.
std::string as_table(const QueryResult& result);

/// The same as a table of Markdown.
std::string as_markdown(const QueryResult& result);

/// With a head, numbers to fifteen digits and NULL as an empty field; see base/csv.h.
std::string as_csv(const QueryResult& result);

/// An array of objects, whose keys are the columns; numbers in full.
std::string as_json(const QueryResult& result);

}  // namespace labreport
