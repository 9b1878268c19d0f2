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

/// "by-rank": each rank by itself.
Dataset ranks_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> wanted);

std::string ms_words(double ms);

/// They differ by more than their steps vary; nothing where one has no steps.
std::optional<bool> differ(const Trained* a, const Trained* b);

/// Where and how all of it was measured, for the method.
void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks);

/// Those of `schemes` without numbers: "{{schemes}}: {{reason}}", schemes of one reason together.
std::vector<Facts> missing(const std::vector<Network>& networks,
                           std::initializer_list<Scheme> wanted);

/// What a part of those schemes rests on, with its commands.
void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> wanted);

}  // namespace labreport::data_parallel
