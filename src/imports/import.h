// Converts a table with documented column names into a run with declared hardware and `source:
// imported`.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// A value that a table may give. The parser, the help and the documentation use import_fields().
struct ImportField {
  enum class Place {
    kLine,          ///< One value for the whole file: a line `name: value`, or the flag `--name`.
    kLineOrColumn,  ///< A parameter: a line or flag as above, or a column.
    kColumn,        ///< A published number: a column whose name ends in a unit.
  };

  std::string_view name;
  Place place;
  std::string_view meaning;
  std::string_view otherwise;     ///< "needed", "optional", or the handout's value if absent.
  std::string_view metric = {};   ///< The name of a published number's metric.
  bool deviation = false;         ///< The number is a standard deviation, not a mean.
  Mode since = Mode::kInference;  ///< The first mode whose step has this phase.

  /// Lists the names that a header may use, one for each unit: "mean_ms" and "mean_s".
  std::vector<std::string> columns() const;
};

std::span<const ImportField> import_fields();

/// A header to copy, shown by the help and when a name is refused.
inline constexpr std::string_view kExampleHeader = "size,context,precision,mode,mean_ms,stddev_ms";

/// Maps names of fields to the text of their flags.
using ImportFlags = std::map<std::string, std::string, std::less<>>;

/// Reads lines of `name: value` and, below them, one table in CSV or Markdown. The run has no
/// session; the caller adds it. Throws `InputError` with file and line for anything that is not
/// documented.
Run import_table(const std::string& text, const std::string& file, const ImportFlags& flags);

}  // namespace labreport
