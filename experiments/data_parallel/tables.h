// Tables and facts that several parts share.
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

/// "schemes": a row for each of those schemes of each network.
Dataset schemes_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> wanted);

/// "by-rank": one row a rank.
Dataset ranks_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> wanted);

inline constexpr Notation kThree{Notation::kSignificant, 3};

/// The largest network that ran the scheme, in the first of its settings; null if none did.
const Network* foremost(const std::vector<Network>& networks, Scheme scheme);

/// Tells whether they differ by more than both deviations together; absent if one has no steps.
std::optional<bool> differ(const Trained* a, const Trained* b);

/// Extra time compared with the step without communication, or why it is unknown.
Value added_value(const Network& network, const Trained& trained);

/// Adds to the method where and how everything was measured.
void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks);

/// Adds the cells that the part rests on, and its commands.
void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> wanted, const std::string& letter);

}  // namespace labreport::data_parallel
