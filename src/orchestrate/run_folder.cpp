#include "orchestrate/run_folder.h"

#include "base/error.h"
#include "base/files.h"
#include "base/machine.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

}  // namespace

RunFolder::RunFolder(const fs::path& folder) : store_(folder) {
  make_writable_folder(folder);
  lock_.emplace(folder, RunUse::kChange);
  store_.refuse_links();
}

std::unique_ptr<RunFolder> RunFolder::create(const fs::path& root, const PlanInput& input,
                                             const DeviceChoice& choice, const Session& session) {
  if (RunStore(root).exists()) {
    throw InputError(root.string() + " already holds a run",
                     "choose another folder with --out, or resume that run with --resume");
  }
  Run run;
  run.edition = input.edition.name;
  run.preset = name(input.preset);
  run.sessions = {session};
  Run run_with_device = run;  // Its device names the folder.
  Device& device = run_with_device.devices.emplace_back();
  device.kind = choice.kind;
  device.name = choice.gpus.empty() ? cpu_model() : choice.gpus.front().name;
  std::unique_ptr<RunFolder> folder(new RunFolder(make_run_folder(root, run_with_device)));
  folder->run_ = std::move(run);
  folder->store_.create(folder->run_);
  folder->is_new_ = true;
  return folder;
}

std::unique_ptr<RunFolder> RunFolder::resume(const fs::path& path, const Surroundings& now,
                                             const Session& session) {
  std::unique_ptr<RunFolder> folder(new RunFolder(path));
  const RunStore& store = folder->store_;
  Run run = store.load();
  refuse_other_surroundings(run, now);
  store.save_merged(run);  // This comes first, because drop_failures() renumbers launches.
  drop_failures(run);
  run.sessions.push_back(session);
  store.save(run);
  folder->run_ = std::move(run);
  return folder;
}

RunFolder::~RunFolder() {
  if (!is_new_ || has_launches(run_)) return;
  std::error_code ignored;
  fs::remove(store_.run_file(), ignored);  // A folder without this file holds no run.
  fs::remove_all(store_.cells_folder(), ignored);
  fs::remove_all(store_.scratch_folder(), ignored);
  fs::remove_all(store_.artifacts_folder(), ignored);  // It may hold the sources of a model.
  // This removes the run's folder and two above it if they are empty: remove() fails for others.
  fs::path folder = store_.folder();
  for (int level = 0; level < 3 && fs::remove(folder, ignored); ++level) {
    folder = folder.parent_path();
  }
}

}  // namespace labreport
