// Creates or reopens the folder into which a run is measured.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "orchestrate/device_choice.h"
#include "orchestrate/resume.h"
#include "results/run_store.h"

namespace labreport {

/// Locks the folder while the object lives. The destructor removes a new folder in which nothing
/// was measured.
class RunFolder {
 public:
  /// Makes a new folder below `root`. Throws `InputError` if `root` itself holds a run.
  static std::unique_ptr<RunFolder> create(const std::filesystem::path& root,
                                           const PlanInput& input, const DeviceChoice& choice,
                                           const Session& session);

  /// Reopens the run in `path` and removes its failed launches, so that they are measured again.
  /// Throws `InputError` if the run was measured in other surroundings.
  static std::unique_ptr<RunFolder> resume(const std::filesystem::path& path,
                                           const Surroundings& now, const Session& session);

  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  Run& run() { return run_; }
  const RunStore& store() const { return store_; }

 private:
  explicit RunFolder(const std::filesystem::path& folder);

  RunStore store_;
  Run run_;
  std::optional<RunLock> lock_;
  bool is_new_ = false;
};

}  // namespace labreport
