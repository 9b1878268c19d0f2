// Rules of a run beyond the bounds of single values; they are checked once, when a run is loaded.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/json_reader.h"
#include "results/run.h"

namespace labreport {

/// The position of a value in a run, for complaints: "cells[3].launches[0].metrics[2]".
struct Place {
  const std::string& origin;
  std::string path;

  Place item(const char* list, std::size_t index) const {
    return {origin, fmt::format("{}{}{}[{}]", path, path.empty() ? "" : ".", list, index)};
  }
  Place at(std::size_t index) const { return {origin, fmt::format("{}[{}]", path, index)}; }
  Place key(std::string_view name) const { return {origin, fmt::format("{}.{}", path, name)}; }

  [[noreturn]] void refuse(const std::string& problem) const;
  void refuse_control_characters(const std::string& name) const;
};

/// Throws `InputError` with the path of the first value that could mislead readers of the run.
///
/// Afterwards, cells have distinct ids. The metrics, conditions and tables of a launch and the
/// columns of a table have distinct names. Names hold no control characters. A cell has the
/// parameters of its kind. Units are known, and a known tag has its own unit. A value with a unit
/// is a number in the range of its metric. Pairs are `Ordered`. Known tables have their columns,
/// and each column has one type. The numbers of a launch have a sum within `kMostTogether`.
/// Sessions began from 1970 to 2199.
void check_run(const Run& run, const std::string& origin, Unknown unknown);

/// Checks the parts of a launch's file: a cell's parameters, and a launch by itself.
void check_params(const CellSpec& spec, const Place& params);
void check_lone_launch(const Launch& launch, const Place& place);

}  // namespace labreport
