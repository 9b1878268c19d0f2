// The command line that measures a cell again.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// "build/bin/labreport run --edition 2025 --only … --sizes small …": one cell, by every flag that
/// differs from what the program would choose itself.
std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec);

/// One command that measures all of these cells: lists hold what they differ in, and a flag without
/// lists that they differ in is left to the plan.
TableView command_table(const Run& run, const std::string& problem,
                        const std::vector<const Cell*>& cells);

}  // namespace labreport
