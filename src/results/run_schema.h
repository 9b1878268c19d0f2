// Builds a JSON Schema of run.json for other programs.
#pragma once

#include "results/json_writer.h"

namespace labreport {

/// Derives the schema from the declarations in run_json_keys.h. It does not contain the rules of
/// run_check.h, which relate several values.
Json run_schema();

}  // namespace labreport
