#include "results/session_store.h"

#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "results/launch_file.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

Run with_one_session(const Run& run, const Session& session) {
  Run head;
  head.edition = run.edition;
  head.preset = run.preset;
  head.sessions = {session};
  return head;
}

fs::path plan_file(const fs::path& root) { return root / "plan.json"; }

}  // namespace

void share_run(const RunStore& store, const Run& head) {
  if (store.exists()) return;
  for (const fs::path& folder : {store.cells_folder(), store.scratch_folder(),
                                 store.sessions_folder(), store.claims_folder()}) {
    make_writable_folder(folder);
  }
  create_atomically(store.run_file(), to_json(head));
}

SessionStore::SessionStore(const fs::path& folder, const Run& head) : RunStore(folder) {
  refuse_links();
  const std::string text = to_json(head);
  while (!create_atomically(session_file(session_), text)) ++session_;
  make_writable_folder(scratch_folder());
}

fs::path SessionStore::scratch_folder() const {
  return RunStore::scratch_folder() / std::to_string(session_);
}

void SessionStore::save(const Run& run) const {
  write_atomically(session_file(session_),
                   to_json(with_one_session(run, run.sessions.at(session_))));
}

void SessionStore::save_launch(const Run& run, const Cell& cell, std::int64_t launch) const {
  const std::string text = launch_file_to_json(run, cell, launch);
  if (!create_atomically(launch_file(cell.id, launch), text)) throw TakenOver();
}

void SessionStore::finish(const Run&) const {}

// Moved away first: a task that begins now finds either the session's folder or the merged run.
void merge_shared(const RunStore& store, const Run& run) {
  store.finish(run);
  const fs::path gone = store.sessions_folder().string() + ".merged";
  std::error_code error;
  fs::rename(store.sessions_folder(), gone, error);
  for (const fs::path& folder : {gone, store.claims_folder()}) fs::remove_all(folder, error);
}

// Looked for in this order: a run of the plan's own is younger than the plan.
void refuse_other_runs(const fs::path& root) {
  const bool has_runs = !list_runs(root).empty();
  if (!has_runs || fs::exists(plan_file(root))) return;
  throw InputError(
      root.string() + " holds other runs, and a plan's tasks share a folder of their own",
      "name one with --out, as " + (root / "array").string());
}

Run shared_plan(const fs::path& root, const Run& own) {
  refuse_other_runs(root);
  make_writable_folder(root);
  create_atomically(plan_file(root), to_json(own));
  return shared_plan(root);
}

Run shared_plan(const fs::path& root) {
  const fs::path file = plan_file(root);
  if (!fs::exists(file)) {
    throw InputError("no shards in " + root.string() + ": plan.json is missing",
                     "name the folder that `labreport run --shard` was given with --out");
  }
  Run plan = run_from_json(read_plain_file(file), file.string());
  if (plan.sessions.empty()) throw InputError(file.string() + " holds no session");
  return plan;
}

}  // namespace labreport
