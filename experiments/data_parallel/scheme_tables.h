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
inline constexpr Notation kThree{Notation::kSignificant, 3};

/// The dataset "schemes" has a row for each of `schemes` of each network.
Dataset schemes_dataset(const std::vector<Network>& networks,
                        std::initializer_list<Scheme> schemes);

/// The dataset "by-rank" has a row for each rank of each of `schemes`.
Dataset ranks_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> schemes);

/// The largest network that ran the scheme, in its first context and precision; null if none did.
const Network* largest_network(const std::vector<Network>& networks, Scheme scheme);

/// True if mean steps differ by more than the sum of their deviations; nothing if one is unknown.
std::optional<bool> differ(const SchemeResult* a, const SchemeResult* b);

/// `Network::added_ms`, or why it is unknown.
Value added_value(const Network& network, const SchemeResult& result);

/// Adds the facts about how the schemes were measured: hardware, batch, steps and networks.
void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks);

/// Adds the part's cells and the commands that measure them again.
void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> schemes, const std::string& letter);

}  // namespace labreport::data_parallel
