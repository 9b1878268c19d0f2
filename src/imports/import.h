// Converts a table of published numbers into a run whose `source` is "imported". docs/importing.md
// documents the column names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// A value that a file with a table may give. import_fields() lists all fields, for the parser and
/// the help; a test compares the documentation with the list.
struct ImportField {
  enum class Place {
    kLine,          ///< A line `name: value` above the table, or the flag `--name`.
    kLineOrColumn,  ///< For parameters: a line, a flag or a column.
    kColumn,        ///< For published numbers: a column whose name ends with a unit.
  };

  std::string_view name;
  Place place;
  std::string_view meaning;
  std::string_view if_absent;          ///< "needed", "optional", or the value that is then assumed.
  std::string_view metric = {};        ///< The name of a published number's metric.
  bool is_deviation = false;           ///< The number is a standard deviation, not a mean.
  Mode first_mode = Mode::kInference;  ///< The first mode whose step has the number's phase.

  /// Returns the names that a header may use, one for each unit: "mean_ms" and "mean_s".
  std::vector<std::string> column_names() const;
};

std::span<const ImportField> import_fields();

/// An example of a header. The help and errors about unknown names show it.
inline constexpr std::string_view kExampleHeader = "size,context,precision,mode,mean_ms,stddev_ms";

/// Maps names of fields to the values of their flags.
using ImportFlags = std::map<std::string, std::string, std::less<>>;

/// Reads lines of `name: value` and, below them, one table in CSV or Markdown. The run has no
/// session; the caller adds it. `file` is the name that is recorded and shown. Throws one
/// `InputError` with a line for each thing that is not documented, with its file and line.
Run import_table(const std::string& text, const std::string& file, const ImportFlags& flags);

}  // namespace labreport
