// The one place that decides whose Python draws charts and typesets, what it may see, and where its
// results are kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"

namespace labreport {

/// What a helper may take.
struct HelperLimits {
  double seconds = 0;
  std::int64_t bytes = 0;  ///< Of memory that it writes to; 0: it limits itself.
};

class HelperPython {
 public:
  /// The `.venv` of the project in `project`, where it and its modules can be trusted as this
  /// program is; else python3 in a folder of PATH that is named absolutely. Nothing of the current
  /// folder.
  explicit HelperPython(const std::filesystem::path& project);

  /// Absolute; empty where there is none or none that is trusted.
  const std::filesystem::path& program() const { return program_; }
  /// Why there is none, in one line.
  const std::string& problem() const { return problem_; }

  /// Runs `code` in `folder`, which is this process's own: isolated from the environment, from the
  /// user's packages and from the folder that this program was called in.
  Ended run(const std::string& code, const std::vector<std::string>& arguments,
            const std::filesystem::path& folder, const HelperLimits& limits) const;

 private:
  std::filesystem::path program_;
  std::string problem_;
};

/// Where the interactive bundle is kept: below the project's `.deps`, or in the user's cache
/// folder; empty where neither can be trusted.
std::filesystem::path bundles_folder(const std::filesystem::path& project);

/// Where results are kept between renders: LABREPORT_CACHE, or beside the bundles. Empty where
/// nothing is to be kept.
std::filesystem::path kept_results(const std::filesystem::path& project);

/// Seconds for one report: LABREPORT_TYPESET_SECONDS, else 60. The helper reads the same variable.
/// Throws `InputError` where that, or LABREPORT_TYPESET_MIB, is no number above 0.
double typeset_seconds();

}  // namespace labreport
