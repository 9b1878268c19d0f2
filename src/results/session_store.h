// A run that several tasks measure at once, on machines that share nothing but its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>

#include "results/run_store.h"

namespace labreport {

/// Thrown where another task has taken over what this one measures: what is in flight is worthless.
class TakenOver : public std::runtime_error {
 public:
  TakenOver() : std::runtime_error("another task has taken over") {}
};

/// Makes the folders of a shared run and its run.json, unless a task has done so before; a run that
/// is merged already stays as it is.
void share_run(const RunStore& store, const Run& head);

/// What one task writes of a shared run: its own session, and launches that nobody else has kept.
class SessionStore : public RunStore {
 public:
  /// Adds the session, the only one of `head`, under the next number that is free.
  SessionStore(const std::filesystem::path& folder, const Run& head);

  std::size_t session() const { return session_; }

  std::filesystem::path scratch_folder() const override;  ///< Its own.
  void save(const Run& run) const override;               ///< The session alone.
  /// Throws `TakenOver` where the launch is kept already: that one stays.
  void save_launch(const Run& run, const Cell& cell, std::int64_t launch) const override;
  void finish(const Run& run) const override;  ///< What another task's `RunStore` merges stays.

 private:
  std::size_t session_ = 0;
};

/// Merges a shared run into run.json, and ends the sharing.
void merge_shared(const RunStore& store, const Run& run);

/// Throws `InputError` where `root` holds runs and no plan that tasks share.
void refuse_other_runs(const std::filesystem::path& root);

/// The plan that the tasks of `root` share, a run without cells whose session is the first task's;
/// `own` becomes it where there is none.
Run shared_plan(const std::filesystem::path& root, const Run& own);

/// The same; throws `InputError` where there is none.
Run shared_plan(const std::filesystem::path& root);

}  // namespace labreport
