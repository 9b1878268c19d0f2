// Decides which Python draws charts and typesets, what it may see, and where its results are
// stored.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"

namespace labreport {

/// Limits of a helper process.
struct HelperLimits {
  double seconds = 0;
  std::int64_t bytes = 0;  ///< Memory it may write to; 0 if it limits itself.
};

class HelperPython {
 public:
  /// Chooses the `.venv` of the project in `project`, if it and its modules can be trusted like
  /// this program, else python3 in a folder of PATH that is named absolutely. The current folder is
  /// never used.
  explicit HelperPython(const std::filesystem::path& project);

  /// The absolute path; empty if there is no trusted one.
  const std::filesystem::path& program() const { return program_; }
  /// The reason why there is none, in one line.
  const std::string& problem() const { return problem_; }

  /// Runs `code` in `folder`, which only this process uses, isolated from the environment, from the
  /// user's packages and from the folder that this program was called in.
  Ended run(const std::string& code, const std::vector<std::string>& arguments,
            const std::filesystem::path& folder, const HelperLimits& limits) const;

 private:
  std::filesystem::path program_;
  std::string problem_;
};

/// The folder of the interactive bundle: below the project's `.deps`, or in the user's cache
/// folder; empty if neither can be trusted.
std::filesystem::path bundles_folder(const std::filesystem::path& project);

/// The folder of results for later renders: LABREPORT_CACHE, or beside the bundles. Empty if
/// nothing is to be stored.
std::filesystem::path cache_folder(const std::filesystem::path& project);

/// Seconds for one report: LABREPORT_TYPESET_SECONDS, else 60. The helper reads the same variable.
/// Throws `InputError` if that, or LABREPORT_TYPESET_MIB, is no number above 0.
double typeset_seconds();

}  // namespace labreport
