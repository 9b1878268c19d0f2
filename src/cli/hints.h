// Rewrites hints for users who called the program through make.
#pragma once

#include <string>

namespace labreport {

/// If the Makefile called the program, which LABREPORT_CALLER says, turns `labreport report
/// --edition 2026` into `make report EDITION=2026`, and other commands in backticks into calls of
/// this executable. Outside backticks, "--edition 2026" becomes "EDITION=2026". Flags without a
/// variable of make stay. Otherwise returns the message unchanged.
std::string in_callers_form(const std::string& message);

/// Returns "this is the 2025 edition; --edition 2026 measures the other", with the given words for
/// what the flag does.
std::string edition_hint(const std::string& edition, const std::string& what_it_does);

}  // namespace labreport
