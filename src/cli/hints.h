// Writes hints in the form in which the program was called.
#pragma once

#include <string>

namespace labreport {

/// Turns the flags that a message names into make's variables, as "EDITION=2026" for "--edition
/// 2026", if the Makefile called the program and says so in LABREPORT_CALLER. Flags without a
/// variable stay.
std::string in_callers_form(const std::string& message);

}  // namespace labreport
