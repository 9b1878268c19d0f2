// Builds the tables and sentences that the arithmetic's problems share, with one machine a row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/parallel_arithmetic/machine.h"

namespace labreport::parallel_arithmetic {

using OfRates = std::function<double(const Rates&)>;

/// The machine's value, or why it is missing. An infinite value counts as missing.
Value of_machine(const Machine& machine, const OfRates& value);

/// The machine's name, C and W.
std::vector<Column<Machine>> machine_columns();

/// Name, C and W of the machines that have both; `add` adds what is computed from them.
std::vector<Facts> machine_facts(const std::vector<Machine>& machines,
                                 const std::function<void(Facts&, const Rates&)>& add);

/// Sets `lacking` with `why` if rates of the run's own machine are missing.
void set_lacking(Facts& facts, const std::vector<Machine>& machines);

}  // namespace labreport::parallel_arithmetic
