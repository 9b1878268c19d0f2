// Where in a run something stands, for a complaint about it; shared by what checks runs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/bounds.h"
#include "results/run_check.h"
#include "results/run_rules.h"

namespace labreport {

/// "cells[3].launches[0].metrics[2]"
struct Place {
  const std::string& origin;
  std::string path;

  Place item(const char* list, std::size_t index) const {
    return {origin, fmt::format("{}{}{}[{}]", path, path.empty() ? "" : ".", list, index)};
  }
  Place at(std::size_t index) const { return {origin, fmt::format("{}[{}]", path, index)}; }
  Place key(std::string_view name) const { return {origin, fmt::format("{}.{}", path, name)}; }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}: {}", origin, path, problem),
                     "docs/threats.md and the published run.schema.json say what a run holds");
  }
  void refuse_control_characters(const std::string& name) const {
    if (has_control_character(name)) refuse("a name with a control character in it");
  }
};

/// Names in one list: none twice.
class OwnNames {
 public:
  void add(const std::string& name, const Place& place) {
    if (!seen_.insert(name).second) place.refuse(fmt::format("'{}' stands there twice", name));
  }
  bool has(std::string_view name) const { return seen_.contains(std::string(name)); }

 private:
  std::set<std::string> seen_;
};

/// The numbers of one launch, added up: half of what 64 bits hold, so that they and what they are
/// rounded to can be added up in any order.
class Total {
 public:
  template <typename PlaceOf>
  void add(double value, std::string_view unit, const PlaceOf& place) {
    if (value < 0 && !may_be_negative(unit)) {
      place().refuse(fmt::format("expected {} and no negative number, found {}", unit, value));
    }
    sum_ += std::abs(value);
    if (sum_ > kMostTogether)
      place().refuse("the numbers of its launch add up to more than 4·10^18");
  }

 private:
  double sum_ = 0;
};

void check_tables(const std::vector<Table>& tables, Unknown unknown, Total& total,
                  const Place& launch);

void check_params(const CellSpec& spec, const Place& params);

/// What `check_run` says of a launch, of one by itself.
void check_lone_launch(const Launch& launch, const Place& place);

}  // namespace labreport
