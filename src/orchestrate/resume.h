// Decides whether a run may be continued and what is measured again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Properties that must be the same for a run's numbers to belong together.
struct Surroundings {
  std::string edition;
  std::string preset;
  std::string revision;
  bool dirty = false;
  std::string libtorch;                 ///< Empty if unknown.
  std::string driver;                   ///< Empty on a CPU.
  std::vector<std::string> gpu_hashes;  ///< Empty on a CPU.
  std::string implementation = {};      ///< The user's model, if any.
};

/// Returns the first difference from the run's last session, except in GPUs: "its driver is
/// 580.95.05, but now it is 590.10"; empty if there is none.
std::string difference(const Run& run, const Surroundings& now);

/// Throws `InputError` naming the difference, also for a GPU that the run does not know.
void refuse_other_surroundings(const Run& run, const Surroundings& now);

/// True if any cell has a launch, even a failed one.
bool has_launches(const Run& run);

/// Forgets launches that failed (timeout, crashed, error), so that they are measured again.
/// Outcomes ok, out of memory and skipped are results and stay.
void drop_failures(Run& run);

/// Held while this process measures into a run's folder. Throws `InputError` if another process
/// holds it.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace labreport
