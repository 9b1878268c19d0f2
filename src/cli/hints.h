// Writes hints in the form in which the program was called.
#pragma once

#include <string>

namespace labreport {

/// If the Makefile called the program and says so in LABREPORT_CALLER, turns `labreport report
/// --edition 2026` into `make report EDITION=2026`, and other commands in backticks into calls of
/// this executable; in prose, "--edition 2026" becomes "EDITION=2026". Flags without a variable
/// stay.
std::string in_callers_form(const std::string& message);

}  // namespace labreport
