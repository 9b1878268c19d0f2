#include "cli/joined_run.h"

#include <utility>

#include "orchestrate/run_folder.h"
#include "results/launch_file.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

void add_launch(Run& run, const Run& source, const CellSpec& spec, Launch launch,
                std::size_t session_offset) {
  launch.session += static_cast<std::int64_t>(session_offset);
  if (launch.device) {
    launch.device =
        find_or_add_device(run, source.devices.at(static_cast<std::size_t>(*launch.device)));
  }
  run.find_or_add(spec).launches.push_back(std::move(launch));
}

/// Copies traces and snapshots. Their names contain cell and launch, so a second copy of a cell
/// that several runs measured is left out.
void copy_artifacts(const std::vector<fs::path>& folders, const RunStore& store) {
  for (const fs::path& folder : folders) {
    const RunStore source(folder);
    source.refuse_links();
    if (!fs::exists(source.artifacts_folder())) continue;
    fs::copy(source.artifacts_folder(), store.artifacts_folder(),
             fs::copy_options::recursive | fs::copy_options::skip_existing |
                 fs::copy_options::skip_symlinks);
  }
}

}  // namespace

void append_run(Run& run, const Run& other) {
  const std::size_t session_offset = run.sessions.size();
  run.sessions.insert(run.sessions.end(), other.sessions.begin(), other.sessions.end());
  for (const Cell& cell : other.cells) {
    run.find_or_add(cell.spec);
    for (const Launch& launch : cell.launches)
      add_launch(run, other, cell.spec, launch, session_offset);
  }
}

fs::path write_joined(const Run& run, const std::vector<fs::path>& folders,
                      const std::string& root) {
  const RunStore store(make_run_folder(root, run));
  try {
    copy_artifacts(folders, store);  // It comes first: a folder without run.json holds no run.
    store.create(run);
    store.finish(run);
  } catch (...) {
    std::error_code error;
    fs::remove_all(store.folder(), error);
    throw;
  }
  return store.folder();
}

}  // namespace labreport
