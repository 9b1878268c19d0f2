// Machines with their rates C and W, from the handout, a data sheet or the run; and the columns and
// facts that all problems make of them.
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
  std::string words;  ///< "the handout's"; "this machine (BF16; NCCL, 2 ranks)"
  std::optional<double> flops = {}, bytes = {};  ///< per second
  std::string missing = {};  ///< Why a rate is missing; empty if both are known.
  std::string egress = {};   ///< How `bytes` was obtained: "fitted"; empty if not measured.

  std::optional<Rates> rates() const;
};

/// The run's own machine. `flops` is the peak rate of GEMMs in the first of `preferred` that was
/// measured. `bytes` is the busbw of the first group of ranks with a fitted line: β's, or that of
/// the largest size if the line's error exceeds a quarter.
Machine measured_machine(const RunView& view, const std::vector<Precision>& preferred);

/// True if the run planned an all-reduce, without which these problems are not presented.
bool asked(const RunView& view);

using OfRates = std::function<double(const Rates&)>;

/// `value` at the machine's rates, or why it is missing. An infinite value counts as missing.
Value of_machine(const Machine& machine, const OfRates& value);

/// The machine's name, C and W.
std::vector<Column<Machine>> machine_columns();

/// Facts of each machine that has both rates: name, C and W, and what `add` computes from them.
std::vector<Facts> machine_facts(const std::vector<Machine>& machines,
                                 const std::function<void(Facts&, const Rates&)>& add);

/// Sets the fact `lacking`, with `why`, if the last of `machines`, the run's own, lacks a rate.
void set_lacking(Facts& facts, const std::vector<Machine>& machines);

}  // namespace labreport::parallel_arithmetic
