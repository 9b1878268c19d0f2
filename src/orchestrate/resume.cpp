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

void refuse_if_different(const std::string& what, const std::string& then, const std::string& now) {
  if (then == now || then.empty()) return;
  throw InputError("this run cannot be resumed: its " + what + " is " + then + ", but now it is " +
                       (now.empty() ? "none" : now),
                   "measure anew without --resume");
}

// "2.11.0" and "2.11.0+cu130" name the same release.
std::string release(const std::string& version) { return version.substr(0, version.find('+')); }

std::string revision_words(const std::string& revision, bool dirty) {
  if (revision.empty()) return "";
  return revision.substr(0, 12) + (dirty ? " with uncommitted changes" : "");
}

/// The run knows a GPU once a launch of it is kept: one of several may still be missing.
bool same_gpus(const Run& run, const std::vector<std::string>& now) {
  std::set<std::string> known;
  for (const Device& device : run.devices) known.insert(device.uuid_hash);
  const std::set<std::string> given(now.begin(), now.end());
  return std::ranges::includes(known, given) || std::ranges::includes(given, known);
}

}  // namespace

void refuse_other_surroundings(const Run& run, const Surroundings& now) {
  refuse_if_different("edition", run.edition, now.edition);
  refuse_if_different("preset", run.preset, now.preset);
  if (run.sessions.empty()) return;
  const Session& last = run.sessions.back();
  refuse_if_different("revision", revision_words(last.revision, last.dirty),
                      revision_words(now.revision, now.dirty));
  if (!now.libtorch.empty()) {
    refuse_if_different("torch", release(last.software.libtorch), release(now.libtorch));
  }
  refuse_if_different("driver", last.software.driver, now.driver);
  if (last.model) refuse_if_different("model", last.model->implementation, now.implementation);
  if (run.devices.empty() || now.gpu_hashes.empty() || same_gpus(run, now.gpu_hashes)) return;
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
                   "wait for it, or choose another folder with --out");
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace labreport
