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

/// A difference of two steps, as exactly as they bear out: "12.2 ms", "5.5 ms", "46 µs".
std::string difference_words(double ms);

/// "116.71 ± 0.29": the mean of its steps and their deviation, as tables have it.
std::string step_words(const Trained& trained);

/// Of the difference of their steps, which are independent.
double deviation_of_difference(const Trained& a, const Trained& b);

/// They differ by more than both deviations together; nothing where one has no steps.
std::optional<bool> differ(const Trained* a, const Trained* b);

/// What it takes over the step without communication; where the steps do not show that, why.
Value added_value(const Network& network, const Trained& trained);

/// Where and how all of it was measured, for the method.
void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks);

/// Those of `schemes` without numbers: "{{schemes}}: {{reason}}", schemes of one reason together.
std::vector<Facts> missing(const std::vector<Network>& networks,
                           std::initializer_list<Scheme> wanted);

/// What the part of that letter, of those schemes, rests on, with its commands.
void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> wanted, const std::string& letter);

}  // namespace labreport::data_parallel
