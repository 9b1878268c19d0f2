#include "publish/site_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/messages.h"
#include "orchestrate/subprocess_interrupts.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kRetryInterval{20};

std::vector<fs::path> absent_folders(fs::path path) {
  std::vector<fs::path> absent;
  std::error_code error;
  for (; !path.empty() && fs::status(path, error).type() == fs::file_type::not_found;
       path = path.parent_path()) {
    if (path.has_filename()) absent.push_back(path);
  }
  return absent;
}

}  // namespace

SiteLock::SiteLock(const fs::path& out) : out_(out), initially_absent_(absent_folders(out)) {
  bool announced = false;
  while (!try_lock()) {
    if (!std::exchange(announced, true))
      say("waiting for another labreport that writes into {}\n", out_.string());
    HeldInterrupts::throw_if_interrupted();
    std::this_thread::sleep_for(kRetryInterval);
  }
}

SiteLock::~SiteLock() {
  std::error_code ignored_error;
  for (const fs::path& folder : initially_absent_) {
    if (!fs::is_empty(folder, ignored_error) || !fs::remove(folder, ignored_error)) break;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SiteLock::open_folder() {
  make_writable_folder(out_);
  descriptor_ = ::open(out_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0) return;
  throw InputError("cannot open the folder " + out_.string() + ": " + std::strerror(errno),
                   "choose another --out");
}

/// Tries once to lock the folder. Returns true without a lock if the file system has no locks.
bool SiteLock::try_lock() {
  if (descriptor_ < 0) open_folder();
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  if (locked_folder_is_at_path()) return true;
  ::close(std::exchange(descriptor_, -1));  // Another render has removed the locked folder.
  return false;
}

bool SiteLock::locked_folder_is_at_path() const {
  struct stat locked{};
  struct stat current{};
  return ::fstat(descriptor_, &locked) == 0 && ::stat(out_.c_str(), &current) == 0 &&
         locked.st_dev == current.st_dev && locked.st_ino == current.st_ino;
}

}  // namespace labreport
