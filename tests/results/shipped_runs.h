// Finds the runs that ship with the project. Tests read these and fixtures of their own, never a
// run of the user's, so that `make test` passes in a clone whatever was measured there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/run_store.h"

namespace labreport::testing_shipped {

/// The reason of a test that is skipped. The runs that it reads were dropped or taken away.
inline constexpr const char* kNotHere = "no run that ships with the project is left for this test";

/// Returns the folders of the reference runs below `root`, in the order of list_runs().
inline std::vector<std::filesystem::path> reference_runs(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> folders = list_runs(root);
  std::erase_if(folders, [](const auto& folder) { return !RunStore(folder).is_reference(); });
  return folders;
}

#ifdef LABREPORT_SOURCE_DIR

/// Returns the folders of the shipped runs below a folder of site/runs, such as "nvidia-h200/2025".
inline std::vector<std::filesystem::path> shipped_runs(const std::string& place = "") {
  return reference_runs(std::filesystem::path(LABREPORT_SOURCE_DIR) / "site/runs" / place);
}

/// Loads those of the shipped runs that were measured.
inline std::vector<Run> measured_runs(const std::string& place = "") {
  std::vector<Run> runs;
  for (const auto& folder : shipped_runs(place)) {
    if (!RunStore(folder).is_imported()) runs.push_back(RunStore(folder).load());
  }
  return runs;
}

/// Returns the first of these with the full preset; nothing if there is none.
inline std::optional<Run> full_run(const std::string& place) {
  std::vector<Run> runs = measured_runs(place);
  const auto found = std::ranges::find(runs, "full", &Run::preset);
  if (found == runs.end()) return std::nullopt;
  return std::move(*found);
}

#endif

}  // namespace labreport::testing_shipped
