// Writes the command line that measures cells again.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// Returns the command that measures one cell: "build/bin/labreport run --edition 2025 --only …
/// --sizes small …". It has every flag whose value differs from the default.
std::string command_for(const Run& run, const std::string& problem, const CellSpec& spec);

/// Returns a table with one command that measures all of these cells. A flag that takes a list
/// holds the values of all cells. A single-valued flag is left out if its values differ.
TableView command_table(const Run& run, const std::string& problem,
                        const std::vector<const Cell*>& cells);

}  // namespace labreport
