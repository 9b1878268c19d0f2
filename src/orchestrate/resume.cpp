#include "orchestrate/resume.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/error.h"

namespace labreport {
namespace {

std::string compared(const std::string& what, const std::string& then, const std::string& now) {
  if (then == now || then.empty()) return "";
  return "its " + what + " is " + then + ", but now it is " + (now.empty() ? "none" : now);
}

// "2.11.0" and "2.11.0+cu130" name the same release.
std::string release(const std::string& version) { return version.substr(0, version.find('+')); }

std::string revision_words(const std::string& revision, bool dirty) {
  if (revision.empty()) return "";
  return revision.substr(0, 12) + (dirty ? " with uncommitted changes" : "");
}

}  // namespace

std::string difference(const Run& run, const Surroundings& now) {
  const Session last = run.sessions.empty() ? Session() : run.sessions.back();
  const std::string torch = now.libtorch.empty() ? "" : last.software.libtorch;
  const std::string model = last.model ? last.model->implementation : "";
  for (const std::string& words :
       {compared("edition", run.edition, now.edition), compared("preset", run.preset, now.preset),
        compared("revision", revision_words(last.revision, last.dirty),
                 revision_words(now.revision, now.dirty)),
        compared("torch", release(torch), release(now.libtorch)),
        compared("driver", last.software.driver, now.driver),
        compared("model", model, now.implementation)}) {
    if (!words.empty()) return words;
  }
  return "";
}

void refuse_other_surroundings(const Run& run, const Surroundings& now) {
  const std::string different = difference(run, now);
  if (!different.empty()) {
    throw InputError("this run cannot be resumed: " + different, "measure anew without --resume");
  }
  if (run.devices.empty() || now.gpu_hashes.empty()) return;
  // A run knows a GPU once a launch on it is stored, so one of several may still be missing.
  std::set<std::string> known;
  for (const Device& device : run.devices) known.insert(device.uuid_hash);
  const std::set<std::string> given(now.gpu_hashes.begin(), now.gpu_hashes.end());
  if (std::ranges::includes(known, given) || std::ranges::includes(given, known)) return;
  throw InputError("this run cannot be resumed: it was measured on another GPU (" +
                       run.devices.front().name + ", " + run.devices.front().uuid_hash + ")",
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

RunLock::RunLock(const std::filesystem::path& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  throw InputError("another labreport is measuring into " + folder.string(),
                   "wait for it, or name another folder");
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace labreport
