// The declarations of run_json_keys.h as a JSON Schema for other programs.
#pragma once

#include "results/json_writer.h"

namespace labreport {

/// Made of the declarations in run_json_keys.h. `run_check.h` proves what values promise together.
Json run_schema();

}  // namespace labreport
