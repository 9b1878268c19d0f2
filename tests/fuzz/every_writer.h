// A loaded run through every writer of this process.
#pragma once

#include "results/run.h"

namespace labreport::fuzz {

/// The formats of a report to write: only data, figures and words, which take a tenth of the time,
/// or all.
enum class Written { kData, kEveryFormat };

/// False for imported numbers and for a run that no session measured.
bool has_report(const Run& run);

/// Its report with its figures, its card and its plausibility. Whatever was loaded can be written:
/// nothing is thrown, all of it is UTF-8, and it says no number that cannot be: neither "inf" nor
/// "nan", nor a negative size, nor a part of more than its whole.
void write_report(const Run& run, Written written);

/// Both side by side in every format; they may have nothing in common.
void compare_everything(const Run& a, const Run& b);

}  // namespace labreport::fuzz
