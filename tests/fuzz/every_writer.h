// A loaded run through every writer of this process.
#pragma once

#include "results/run.h"

namespace labreport::fuzz {

/// How much is made of the report's document: data and figures, which take a tenth of the time, or
/// all formats.
enum class Written { kData, kEveryFormat };

/// Imported numbers, and a run that no session measured, have none.
bool has_report(const Run& run);

/// Its report with its figures, its card and its plausibility. Whatever was loaded can be written:
/// nothing is thrown, and all of it is UTF-8.
void write_report(const Run& run, Written written);

/// Both side by side in every format; they may have nothing in common.
void compare_everything(const Run& a, const Run& b);

}  // namespace labreport::fuzz
