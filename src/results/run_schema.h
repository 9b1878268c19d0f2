// run.schema.json, and documents held against it.
#pragma once

#include <string>

#include "results/json_reader.h"

namespace labreport {

/// Throws `InputError` with `origin`, the path inside the document and what the schema wants.
void validate_against_schema(const Json& document, const std::string& origin);

}  // namespace labreport
