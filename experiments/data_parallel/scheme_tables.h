// The tables and facts of schemes that all parts share.
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
inline constexpr Notation kThree{Notation::kSignificant, 3};

/// "schemes": a row for each of those schemes of each network.
Dataset schemes_dataset(const std::vector<Network>& networks,
                        std::initializer_list<Scheme> schemes);

/// "by-rank": one row a rank.
Dataset ranks_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> schemes);

/// The largest network that ran the scheme, in the first of its settings; null if none did.
const Network* largest_network(const std::vector<Network>& networks, Scheme scheme);

/// True if the steps differ by more than the sum of their deviations; nothing if one has no steps.
std::optional<bool> differ(const SchemeResult* a, const SchemeResult* b);

/// Extra time compared with the step without communication, or why it is unknown.
Value added_value(const Network& network, const SchemeResult& result);

/// Adds the facts of the section on method: hardware, batch, steps and networks.
void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks);

/// Adds the measured cells behind the part, and its commands.
void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> schemes, const std::string& letter);

}  // namespace labreport::data_parallel
