// What a report may take to become a PDF.
#pragma once

namespace labreport {

/// Seconds for one report: LABREPORT_TYPESET_SECONDS, else 60. The helper reads the same variable.
/// Throws `InputError` where that, or LABREPORT_TYPESET_MIB, is no number above 0.
double typeset_seconds();

}  // namespace labreport
