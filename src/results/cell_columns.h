// Lists what a cell is as columns, which have the same names in cells.csv and in SQL's table
// `cell`.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

struct CellColumn {
  std::string name;
  std::string comment;
  bool is_integer = false;      ///< The values are texts otherwise.
  bool has_each_value = false;  ///< No cell lacks a value.
};

/// Returns the id, the kind and all parameters.
const std::vector<CellColumn>& cell_columns();

/// Returns the cell's value in each of these columns. A list is a text in JSON: "[512,1024]".
std::vector<Scalar> cell_values(const Cell& cell);

}  // namespace labreport
