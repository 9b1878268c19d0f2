#include "base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kAnew = O_WRONLY | O_CREAT | O_EXCL;

std::string remedy(int reason) {
  if (reason == ENOSPC || reason == EDQUOT) return "free some space";
  if (reason == EIO) return "check the disk";
  return "check that the folder is there and writable";
}

[[noreturn]] void fail_to_write(const fs::path& path) {
  const int reason = errno;
  throw InputError("cannot write " + path.string() + ": " + std::strerror(reason), remedy(reason));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) { open(path, flags); }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// Of one that is closed.
  void open(const fs::path& path, int flags) {
    fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// Network file systems report a lost write only here.
  bool close_checked() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_ = -1;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// False, with errno set, where the disk failed: not where folders cannot be synced at all.
bool sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  return !descriptor.is_open() || ::fsync(descriptor.get()) == 0 || errno == EINVAL ||
         errno == EOPNOTSUPP;
}

/// `path` and those above it that are not there yet.
std::vector<fs::path> absent_folders(fs::path path) {
  std::vector<fs::path> absent;
  std::error_code error;
  for (; !path.empty() && !fs::exists(path, error); path = path.parent_path()) {
    absent.push_back(path);
  }
  return absent;
}

[[noreturn]] void fail_to_make(const fs::path& path, int reason) {
  const bool elsewhere = reason != ENOSPC && reason != EDQUOT;
  throw InputError("cannot make the folder " + path.string() + ": " + std::strerror(reason),
                   elsewhere ? "choose another with --out" : remedy(reason));
}

}  // namespace

fs::path unfinished(const fs::path& path) { return path.string() + ".part"; }

void write_atomically(const fs::path& path, std::string_view bytes, Sync sync) {
  const fs::path sibling = unfinished(path);
  Descriptor descriptor(sibling, kAnew);
  if (!descriptor.is_open() && errno == EEXIST) {
    // Whatever lies there, a link in a folder from elsewhere, is not written through.
    ::unlink(sibling.c_str());
    descriptor.open(sibling, kAnew);
  }
  if (!descriptor.is_open()) fail_to_write(path);
  const bool kept = write_all(descriptor.get(), bytes) &&
                    (sync == Sync::kNothing || ::fsync(descriptor.get()) == 0) &&
                    descriptor.close_checked() && ::rename(sibling.c_str(), path.c_str()) == 0;
  if (!kept) {
    const int reason = errno;
    ::unlink(sibling.c_str());
    errno = reason;
    fail_to_write(path);
  }
  if (sync == Sync::kFolder && !sync_folder(path.parent_path())) fail_to_write(path);
}

void make_writable_folder(const fs::path& path) {
  const std::vector<fs::path> absent = absent_folders(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_to_make(path, error.value());
  for (const fs::path& made : absent) {
    if (!sync_folder(made.parent_path())) fail_to_make(made, errno);
  }
  if (::access(path.c_str(), W_OK) != 0) {
    throw InputError("cannot write to the folder " + path.string() + ": " + std::strerror(errno),
                     "choose another with --out");
  }
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) {
    throw InputError("cannot remove " + path.string() + ": " + error.message(),
                     remedy(error.value()));
  }
}

}  // namespace labreport
