// Passes a loaded run through every writer of this process.
#pragma once

#include "results/run.h"

namespace labreport::fuzz {

/// The formats of a report to write: all, or only data, figures and words, which take a tenth of
/// the time.
enum class WrittenFormats { kData, kEveryFormat };

/// False for imported numbers and for a run that no session measured.
bool has_report(const Run& run);

/// Writes the run's report with its figures, its card and its plausibility. Every loaded run must
/// be written without an exception, in UTF-8, and without impossible numbers: "inf", "nan", a
/// negative size, or a part that exceeds its whole.
void write_report(const Run& run, WrittenFormats written);

/// Writes the comparison in every format; the runs may have nothing in common.
void compare_everything(const Run& a, const Run& b);

}  // namespace labreport::fuzz
