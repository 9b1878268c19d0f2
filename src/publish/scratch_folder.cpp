#include "publish/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratchPrefix = "labreport-";
constexpr std::size_t kScratchLetters = 6;
// A younger folder stays, because its maker may not have locked it yet.
constexpr std::time_t kTooYoungSeconds = 60;

int open_folder(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Removes an old folder of this user's unless the process that made it still lives and locks it.
void remove_if_abandoned(const fs::path& path) {
  const int folder = open_folder(path);
  if (folder < 0) return;
  struct stat status{};
  const bool is_old_and_ours = ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
                               std::time(nullptr) - status.st_mtime > kTooYoungSeconds;
  std::error_code ignored;
  if (is_old_and_ours && ::flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
  ::close(folder);
}

}  // namespace

void remove_abandoned_scratch(const fs::path& parent) {
  std::error_code error;
  fs::directory_iterator entry(parent, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_scratch =
        name.starts_with(kScratchPrefix) && name.size() == kScratchPrefix.size() + kScratchLetters;
    if (is_scratch) remove_if_abandoned(entry->path());
  }
}

ScratchFolder::ScratchFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (!error) parent = fs::absolute(parent);
  static const bool has_removed_abandoned = (remove_abandoned_scratch(parent), true);
  // mkdtemp replaces each 'X'.
  std::string name = (parent / kScratchPrefix).string() + std::string(kScratchLetters, 'X');
  if (error || !has_removed_abandoned || mkdtemp(name.data()) == nullptr) {
    throw Error("cannot make a temporary folder " + name, "set TMPDIR to a writable one");
  }
  path_ = name;
  lock_descriptor_ = open_folder(path_);
  // If folders cannot be locked, abandoned ones are never removed either.
  if (lock_descriptor_ >= 0) ::flock(lock_descriptor_, LOCK_EX | LOCK_NB);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
}

}  // namespace labreport
