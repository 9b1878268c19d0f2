// Going on with a run: who may, and what is measured again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// What has to be the same for a run's numbers to belong together.
struct Surroundings {
  std::string edition;
  std::string preset;
  std::string revision;
  bool dirty = false;
  std::string libtorch;                 ///< Empty: not known.
  std::string driver;                   ///< Empty on a CPU.
  std::vector<std::string> gpu_hashes;  ///< Empty on a CPU.
  std::string implementation = {};      ///< Of the model, where it is not labreport's own.
};

/// "its driver is 580.95.05, but now it is 590.10": what differs from the run's last session, GPUs
/// aside; empty: nothing.
std::string difference(const Run& run, const Surroundings& now);

/// Throws `InputError` naming what differs, a GPU that the run does not know included.
void refuse_other_surroundings(const Run& run, const Surroundings& now);

/// Whether anything was measured, or tried.
bool has_launches(const Run& run);

/// Forgets launches that failed (timeout, crashed, error), so that they are measured again. What is
/// ok, out of memory or skipped is a result and stays.
void drop_failures(Run& run);

/// Held while this process measures into a run's folder. Throws `InputError` when another does.
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
