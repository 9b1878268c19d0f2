// Decides whether a run may be resumed and which of its launches are measured again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// Properties that must stay the same while a run is measured, because its numbers are compared.
struct Surroundings {
  std::string edition;
  std::string preset;
  std::string revision;
  bool dirty = false;
  std::string libtorch;                 ///< Empty if unknown.
  std::string driver;                   ///< Empty on a CPU.
  std::vector<std::string> gpu_hashes;  ///< Empty on a CPU.
  std::string implementation = {};      ///< The user's code, if any.
};

/// Returns the first change since the run's last session, except of GPUs: "its driver is 580.95.05,
/// but now it is 590.10"; empty if nothing changed.
std::string first_difference(const Run& run, const Surroundings& now);

/// Thrown if a run cannot be resumed because of what has changed since.
struct OtherSurroundings : InputError {
  OtherSurroundings(const std::string& what_changed, const std::string& remedy)
      : InputError("this run cannot be resumed: " + what_changed, remedy), change(what_changed) {}

  std::string change;
};

/// Throws `OtherSurroundings` with the first difference, or if the run was measured on other GPUs.
void refuse_other_surroundings(const Run& run, const Surroundings& now);

/// True if any cell has a launch, even a failed one.
bool has_launches(const Run& run);

/// Removes launches that failed (timeout, crashed, error), so that they are measured again.
/// Launches that are ok, ran out of memory or were skipped are results and stay.
void drop_failures(Run& run);

/// Several processes may read a run's folder at once, but only one may change it.
enum class RunUse { kChange, kRead };

/// Locks a run's folder while this process uses it. Throws `InputError` if the lock of another
/// process forbids that.
class RunLock {
 public:
  RunLock(const std::filesystem::path& folder, RunUse use);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace labreport
