// Checks the rules of a run that go beyond the bounds of single values.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/json_reader.h"
#include "results/run.h"

namespace labreport {

/// The path of a value in a run, for error messages: "cells[3].launches[0].metrics[2]".
struct Place {
  const std::string& origin;  ///< The file that holds the run.
  std::string path;

  Place item(const char* list, std::size_t index) const {
    return {origin, fmt::format("{}{}{}[{}]", path, path.empty() ? "" : ".", list, index)};
  }
  Place at(std::size_t index) const { return {origin, fmt::format("{}[{}]", path, index)}; }
  Place key(std::string_view name) const { return {origin, fmt::format("{}.{}", path, name)}; }

  /// Throws `InputError`: "<origin>: <path>: <problem>".
  [[noreturn]] void refuse(const std::string& problem) const;
  /// Throws `InputError` if `name` has a control character.
  void refuse_control_characters(const std::string& name) const;
};

/// Throws `InputError` with the path of the first value that could mislead readers of the run.
///
/// A run that passes has cells with distinct ids. The metrics, conditions and tables of a launch
/// and the columns of a table have distinct names. Names hold no control characters. A cell has the
/// parameters of its kind. Units are known, and a known tag has its own unit. A value with a unit
/// is a number in the range of its metric. No value of an `OrderedPair` exceeds the other. Known
/// tables have their columns, and each column has one type. The magnitudes of a launch's numbers
/// add up to at most `kMaxLaunchSum`. Sessions began from 1970 to 2199.
void check_run(const Run& run, const std::string& origin, UnknownNames unknown_names);

/// Check a cell's parameters, and a launch outside of its run, which a launch file holds.
void check_params(const CellSpec& spec, const Place& params);
void check_single_launch(const Launch& launch, const Place& place);

}  // namespace labreport
