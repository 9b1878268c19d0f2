#include <algorithm>
#include <utility>

#include "base/walk.h"
#include "results/run_store.h"

namespace labreport {

namespace fs = std::filesystem;

std::vector<fs::path> list_measured_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_runs(root);
  std::erase_if(folders, [](const fs::path& folder) { return RunStore(folder).is_imported(); });
  return folders;
}

std::vector<fs::path> list_imported_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_runs(root);
  std::erase_if(folders, [](const fs::path& folder) { return !RunStore(folder).is_imported(); });
  return folders;
}

std::vector<fs::path> list_runs(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : entries_below(root)) {
    if (entry.path().filename() == "run.json") folders.push_back(entry.path().parent_path());
  }
  std::sort(folders.begin(), folders.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.filename(), a) < std::pair(b.filename(), b);
  });
  return folders;
}

}  // namespace labreport
