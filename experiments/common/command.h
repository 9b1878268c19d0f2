// The command line that measures a cell again.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// "build/bin/labreport run --edition 2025 --only … --sizes small …": the command of one cell, with
/// every flag that differs from the program's own choice.
std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec);

/// One command that measures all of these cells. Flags that take lists hold all their values; a
/// single-valued flag in which they differ is left out.
TableView command_table(const Run& run, const std::string& problem,
                        const std::vector<const Cell*>& cells);

}  // namespace labreport
