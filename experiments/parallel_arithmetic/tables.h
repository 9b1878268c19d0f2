// What the arithmetic's tables and sentences have in common: a machine a row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/parallel_arithmetic/machine.h"

namespace labreport::parallel_arithmetic {

using OfRates = std::function<double(const Rates&)>;

/// Its value, or why it is missing. What no number reaches is missing, too.
Value of_machine(const Machine& machine, const OfRates& value);

/// The machine's name, C and W.
std::vector<Column<Machine>> machine_columns();

/// Name, C and W of those that have both; `add` adds what is computed from them.
std::vector<Facts> machine_facts(const std::vector<Machine>& machines,
                                 const std::function<void(Facts&, const Rates&)>& add);

/// `lacking` with `why`, where this machine's are not all there.
void set_lacking(Facts& facts, const std::vector<Machine>& machines);

}  // namespace labreport::parallel_arithmetic
