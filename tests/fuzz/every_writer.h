// Passes a loaded run through every writer of this process.
#pragma once

#include "results/run.h"

namespace labreport::fuzz {

/// The formats of a report to write: only data, figures and words, which take a tenth of the time,
/// or all.
enum class Written { kData, kEveryFormat };

/// False for imported numbers and for a run that no session measured.
bool has_report(const Run& run);

/// Writes the run's report with its figures, its card and its plausibility. Whatever was loaded
/// must be written without an exception, in UTF-8, and without impossible numbers: "inf", "nan", a
/// negative size, or a part of more than its whole.
void write_report(const Run& run, Written written);

/// Writes the comparison in every format; the runs may have nothing in common.
void compare_everything(const Run& a, const Run& b);

}  // namespace labreport::fuzz
