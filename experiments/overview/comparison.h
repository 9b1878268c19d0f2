// The recorded comparison with the same network in eager Python: cited, not measured by a run.
#pragma once

#include "document/facts.h"

namespace labreport::overview {

/// Adds `compared` and the comparison's facts, from the record that ships with the program.
void add_comparison(Facts& facts);

}  // namespace labreport::overview
