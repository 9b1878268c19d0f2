// Readings → runs with declared hardware and `source: imported`.
#pragma once

#include "imports/reading.h"

namespace labreport {

/// A run for each GPU, edition and source, in the order of the readings, without a session: the
/// caller knows when and how it was called. Rows of different experiments become launches of one
/// cell; a row that repeats another of its own is refused by both lines (`InputError`).
std::vector<Run> imported_runs(const Readings& readings, const Declared& declared);

}  // namespace labreport
