// The columns of a table, understood by their names and, where those leave it open, their values.
#pragma once

#include "imports/subject.h"
#include "imports/text_table.h"

namespace labreport {

enum class Role {
  kSize,
  kGpu,
  kEdition,
  kExperiment,  ///< Rows of different experiments are different launches.
  kSubject,     ///< Long tables: what the row's value is of.
  kForwardOnly,
  kUnit,
  kPrecision,
  kAutocast,  ///< Yes or no: the column's name says which precision.
  kContext,
  kBatch,
  kWarmup,
  kSteps,
  kSource,
  kModelWidth,
  kInnerWidth,
  kLayers,
  kHeads,
  kValue,    ///< A mean or a standard deviation of times, or a peak.
  kIgnored,  ///< `why` says why.
};

/// Of a column whose name has these words and no others: "seq", "len". Nothing for values.
std::optional<Role> role_named(const std::vector<std::string>& words);

std::string_view describe(Role role);  ///< "size"; empty for kValue and kIgnored.

struct ImportColumn {
  std::string name;
  Role role = Role::kIgnored;
  Meaning meaning = {};  ///< Of a value, or a precision that the name holds.
  std::string why = {};  ///< Of kIgnored; empty for an index.
  bool assumed = false;  ///< The name leaves open which 16-bit format it means: BF16.
};

std::vector<ImportColumn> columns_of(const TextTable& table);

/// "size", "forward, mean, ms", "left out: …"
std::string describe(const ImportColumn& column);

/// The column of a role; null where there is none.
const ImportColumn* find_column(const std::vector<ImportColumn>& columns, Role role);

/// A table of measurements: it names sizes and holds values.
bool holds_measurements(const std::vector<ImportColumn>& columns);

}  // namespace labreport
