// What the schema cannot say of a run: checked once, when it is loaded.
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// Whether keys and names that this program does not know are refused: a newer version may have
/// more.
enum class Unknown { kRefused, kLetBe };

/// Throws `InputError` with the path of the first thing that readers of the run could stumble over.
///
/// Afterwards: cells, and of each launch metrics, conditions, tables and columns, have names of
/// their own; names hold no control characters; a cell has the parameters of its kind; units are
/// known, and a known tag has its own; a number with a unit is a number, and one of time, bytes or
/// rates is not negative; known tables have their columns, and each column one type; the numbers of
/// a launch have a sum within 64 bits; sessions began in years that clocks show.
void check_run(const Run& run, const std::string& origin, Unknown unknown);

}  // namespace labreport
