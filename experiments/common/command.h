// The command line that measures a cell again.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// The command that measures one cell: "build/bin/labreport run --edition 2025 --only … --sizes
/// small …". It has every flag whose value differs from the default.
std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec);

/// One command that measures all of these cells. Flags that take lists hold the values of all
/// cells; a single-valued flag is left out if the cells differ in its value.
TableView command_table(const Run& run, const std::string& problem,
                        const std::vector<const Cell*>& cells);

}  // namespace labreport
