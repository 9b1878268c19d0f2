#include "orchestrate/resume.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

namespace labreport {
namespace {

std::string describe_change(const std::string& property, const std::string& then,
                            const std::string& now) {
  if (then == now || then.empty()) return "";
  return "its " + property + " is " + then + ", but now it is " + (now.empty() ? "none" : now);
}

/// Returns "2.11.0" for "2.11.0" and "2.11.0+cu130", which are the same release.
std::string release_of(const std::string& version) { return version.substr(0, version.find('+')); }

std::string revision_words(const std::string& revision, bool dirty) {
  if (revision.empty()) return "";
  return revision.substr(0, 12) + (dirty ? " with uncommitted changes" : "");
}

}  // namespace

std::string first_difference(const Run& run, const Surroundings& now) {
  const Session last = run.sessions.empty() ? Session() : run.sessions.back();
  const std::string torch = now.libtorch.empty() ? "" : last.software.libtorch;
  for (const std::string& words :
       {describe_change("edition", run.edition, now.edition),
        describe_change("preset", run.preset, now.preset),
        describe_change("revision", revision_words(last.revision, last.dirty),
                        revision_words(now.revision, now.dirty)),
        describe_change("torch", release_of(torch), release_of(now.libtorch)),
        describe_change("driver", last.software.driver, now.driver),
        describe_change("model", implementations(last), now.implementation)}) {
    if (!words.empty()) return words;
  }
  return "";
}

void refuse_other_surroundings(const Run& run, const Surroundings& now) {
  const std::string change = first_difference(run, now);
  if (!change.empty()) {
    throw OtherSurroundings(change, "measure anew without --resume");
  }
  if (run.devices.empty() || now.gpu_hashes.empty()) return;
  // A run records a GPU with the first launch on it, so a run on several GPUs may lack some of
  // them.
  std::set<std::string> recorded_gpus;
  for (const Device& device : run.devices) recorded_gpus.insert(device.uuid_hash);
  const std::set<std::string> present_gpus(now.gpu_hashes.begin(), now.gpu_hashes.end());
  if (std::ranges::includes(recorded_gpus, present_gpus) ||
      std::ranges::includes(present_gpus, recorded_gpus))
    return;
  throw OtherSurroundings("it was measured on another GPU (" + run.devices.front().name + ", " +
                              run.devices.front().uuid_hash + ")",
                          "choose that one with --gpus, or measure anew without --resume");
}

bool has_launches(const Run& run) {
  return std::any_of(run.cells.begin(), run.cells.end(),
                     [](const Cell& cell) { return !cell.launches.empty(); });
}

void drop_failures(Run& run) {
  for (Cell& cell : run.cells) {
    std::erase_if(cell.launches, [](const Launch& launch) { return is_failure(launch.outcome); });
  }
}

RunLock::RunLock(const std::filesystem::path& folder, RunUse use)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const int operation = (use == RunUse::kRead ? LOCK_SH : LOCK_EX) | LOCK_NB;
  if (flock(descriptor_, operation) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  throw InputError("another labreport is using " + folder.string(),
                   "wait for it, or name another folder");
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace labreport
