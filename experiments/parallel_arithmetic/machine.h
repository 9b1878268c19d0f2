// Machines with their rates C (FLOP/s) and W (bytes sent a second) from the course handout, a data
// sheet or the run, and the columns and facts that show machines.
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

inline constexpr double kGigabyte = 1e9;  ///< bytes

struct Machine {
  std::string words;  ///< "the handout's"; "this machine (BF16; NCCL, 2 ranks)"
  std::optional<double> flops_per_second = {}, bytes_per_second = {};  ///< C and W.
  std::string why_missing = {};    ///< Says why a rate is missing; empty if both are known.
  std::string egress_source = {};  ///< Says how W was obtained: "fitted"; empty if not measured.

  std::optional<Rates> rates() const;
};

/// Returns the run's own machine. C is the sustained rate of GEMMs in the first of `precisions`
/// that was measured. W is the bus bandwidth of the first group of ranks whose all-reduce times fit
/// a line over their bytes: the line's, or the largest all-reduce's if the line is off by more than
/// 25 %.
Machine measured_machine(const RunView& view, const std::vector<Precision>& precisions);

/// True if the run planned an all-reduce, without which these problems are not presented.
bool has_all_reduce(const RunView& view);

using RatesFunction = std::function<double(const Rates&)>;

/// Returns `function` of the machine's rates, or why a rate is missing or the result infinite.
Value value_at(const Machine& machine, const RatesFunction& function);

/// Returns columns with the machine's name, C and W.
std::vector<Column<Machine>> machine_columns();

/// Returns, for each machine with both rates, its name, C, W and the facts that `add` sets.
std::vector<Facts> machine_facts(const std::vector<Machine>& machines,
                                 const std::function<void(Facts&, const Rates&)>& add);

/// Sets the fact `lacking`, with the reason, if the last machine, the run's own, lacks a rate.
void set_missing_rate(Facts& facts, const std::vector<Machine>& machines);

}  // namespace labreport::parallel_arithmetic
