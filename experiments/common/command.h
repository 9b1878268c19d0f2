// The command line that measures a cell again.
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// "build/bin/labreport run --edition 2025 --only … --sizes small …": one cell, by every flag that
/// differs from what the program would choose itself.
std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec);

}  // namespace labreport
