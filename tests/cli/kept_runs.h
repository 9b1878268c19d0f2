// Stores made-up runs on disk, for tests that compare them.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/compared_runs.h"
#include "results/run_store.h"

namespace labreport {

/// Stores the run in the folder `place` below `root`, and returns that folder.
inline std::filesystem::path keep_run(const std::filesystem::path& root, const std::string& place,
                                      const Run& run) {
  const RunStore store(root / place);
  store.create(run);
  store.finish(run);
  return store.folder();
}

}  // namespace labreport
