// Rules that a run keeps beyond the bounds of each value; they are checked once, when it is loaded.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/json_reader.h"
#include "results/run.h"

namespace labreport {

/// Where in a run something stands, for a complaint about it: "cells[3].launches[0].metrics[2]"
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

/// Throws `InputError` with the path of the first thing that readers of the run could stumble over.
///
/// Afterwards: cells, and of each launch metrics, conditions, tables and columns, have names of
/// their own; names hold no control characters; a cell has the parameters of its kind; units are
/// known, and a known tag has its own; a number with a unit is a number, and one that a measurement
/// can give; no part is more than its whole; known tables have their columns, and each column one
/// type; the numbers of a launch have a sum within 64 bits; sessions began in years that clocks
/// show.
void check_run(const Run& run, const std::string& origin, Unknown unknown);

/// The parts of it for a launch's file: a cell's parameters, and a launch by itself.
void check_params(const CellSpec& spec, const Place& params);
void check_lone_launch(const Launch& launch, const Place& place);

}  // namespace labreport
