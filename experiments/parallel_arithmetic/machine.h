// Machines by their rates C and W, from the handout, a data sheet or the run, and the tables and
// sentences that the problems make of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "document/view.h"
#include "experiments/parallel_arithmetic/formulas.h"

namespace labreport::parallel_arithmetic {

struct Machine {
  std::string words;  ///< "the handout's"; "this machine, BF16 and NCCL, 2 ranks"
  std::optional<double> flops = {}, bytes = {};  ///< per second
  std::string missing = {};  ///< Why a rate is missing; empty if both are known.
  std::string egress = {};   ///< How `bytes` was obtained: "fitted".

  std::optional<Rates> rates() const;
};

/// The run's own machine. FLOP/s are those of GEMMs in the first of `preferred` that was measured.
/// Bytes a second are the busbw of an all-reduce among the fewest ranks that ran, from the line
/// through its times; at the largest size, if the line misses a size by more than a quarter.
Machine measured_machine(const RunView& view, const std::vector<Precision>& preferred);

/// True if the run has the cells on which these problems are presented; see `plan`.
bool asked(const RunView& view);

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
