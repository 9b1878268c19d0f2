// Builds a JSON Schema of run.json for other programs.
#pragma once

#include "results/json_writer.h"

namespace labreport {

/// The declarations in run_json_keys.h determine the schema. Rules that relate several values are
/// in run_check.h only.
Json run_schema();

}  // namespace labreport
