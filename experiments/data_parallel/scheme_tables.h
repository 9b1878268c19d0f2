// The tables and facts that all parts of the problem share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "document/section.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

inline constexpr const char* kProblem = "data_parallel";

/// The dataset "schemes" has a row for each of `schemes` of each network.
Dataset schemes_dataset(const MeasuredNetworks& networks, std::initializer_list<Scheme> schemes);

/// The dataset "by-rank" has a row for each rank of each of `schemes`.
Dataset ranks_dataset(const MeasuredNetworks& networks, std::initializer_list<Scheme> schemes);

/// Returns the network with the most gradient bytes that ran the scheme, in its first context and
/// precision; null if none ran it.
const MeasuredNetwork* largest_network(const MeasuredNetworks& networks, Scheme scheme);

/// Returns whether the mean steps differ by more than the sum of their deviations; nothing if a
/// result is null or has no steps.
std::optional<bool> steps_differ(const SchemeResult* a, const SchemeResult* b);

/// Returns `added_ms`, or the reason not to state it: the deviations of the steps hide it, or it is
/// negative. The value is empty if a step is unknown.
Value added_ms_or_reason(const MeasuredNetwork& network, const SchemeResult& result);

/// Returns how much less the scheme adds than one all-reduce a parameter, as a share of what that
/// adds; nothing if a time is unknown or their steps do not differ.
std::optional<double> saved_fraction(const MeasuredNetwork& network, const SchemeResult& result);

/// Adds the facts about how the schemes were measured: hardware, batch, steps and networks.
void add_conditions(Facts& facts, const RunView& view, const MeasuredNetworks& networks);

/// Adds the part's cells and the table of commands that measure them again. `letter` is the part's.
void add_cells(PartContent& part, const RunView& view, const MeasuredNetworks& networks,
               std::initializer_list<Scheme> schemes, const std::string& letter);

}  // namespace labreport::data_parallel
