// Decides which Python draws charts and typesets, and where its results are stored.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"

namespace labreport {

struct HelperLimits {
  double seconds = 0;      ///< Duration; 0 sets no limit.
  std::int64_t bytes = 0;  ///< Memory that the helper may write to; 0 sets no limit.
};

class HelperPython {
 public:
  /// Chooses the Python of `project`/.venv or, if the project has none, python3 in a folder of PATH
  /// with an absolute path. Warns if it passes over a .venv that cannot be executed, or that others
  /// own or may write to.
  explicit HelperPython(const std::filesystem::path& project);

  /// Returns the absolute path of Python; empty if there is none.
  const std::filesystem::path& program() const { return program_; }
  /// Says in one line why `program()` lacks the project's packages; empty if it may have them.
  const std::string& problem() const { return problem_; }

  /// Runs `code` in `folder`, which no other process may use, without the user's packages and with
  /// few of the user's environment variables. Throws `Error` if there is no Python.
  CompletedProcess run(const std::string& code, const std::vector<std::string>& arguments,
                       const std::filesystem::path& folder, const HelperLimits& limits) const;

 private:
  std::filesystem::path program_;
  std::string problem_;
};

/// Returns the folder for the bundle of interactive charts: below the project's `.deps`, else the
/// user's cache folder; empty if neither can be trusted and written to.
std::filesystem::path chart_bundle_folder(const std::filesystem::path& project);

/// Returns the folder for results that later renders use: LABREPORT_CACHE, else inside
/// `chart_bundle_folder`. If it is empty, nothing is stored.
std::filesystem::path cache_folder(const std::filesystem::path& project);

/// Returns the limit in seconds for typesetting one report: LABREPORT_TYPESET_SECONDS, which
/// site/typeset.py reads too, else 60. Throws `InputError` if LABREPORT_TYPESET_SECONDS is no
/// number above 0 and up to 1e6, or if LABREPORT_TYPESET_MIB is no integer from 1 to 2^30.
double typeset_limit_seconds();

}  // namespace labreport
