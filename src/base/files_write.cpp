#include "base/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kCreate = O_WRONLY | O_CREAT | O_EXCL;

std::string remedy(int reason) {
  if (reason == ENOSPC || reason == EDQUOT) return "free some space";
  if (reason == EFBIG) return "raise the limit on the size of files (ulimit -f)";
  if (reason == EBUSY) return "wait until the other program that writes it is done";
  if (reason == EIO) return "check the disk";
  return "check that the folder is there and writable";
}

/// Throws the error in errno, or EBUSY if another program removed or created the temporary file.
[[noreturn]] void fail_to_write(const fs::path& path) {
  int reason = errno;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const bool removed = reason == ENOENT && fs::is_directory(folder, error);
  if (reason == EEXIST || removed) reason = EBUSY;
  throw InputError("cannot write " + path.string() + ": " + std::strerror(reason), remedy(reason));
}

/// Devices and pipes must not be replaced, and folders cannot be.
void refuse_to_replace(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_symlink(status)) return;
  throw InputError("cannot write " + path.string() + ": it is " +
                       (fs::is_directory(status) ? "a folder" : "a device or a pipe"),
                   "move it away");
}

/// Returns false, with errno set, if another program has replaced the file at `path`.
bool is_still(const Descriptor& file, const fs::path& path) {
  struct stat written{}, current{};
  if (::fstat(file.get(), &written) != 0 || written.st_nlink > 0) return true;
  const bool same = ::lstat(path.c_str(), &current) == 0 && written.st_ino == current.st_ino;
  if (!same) errno = EBUSY;
  return same;
}

/// Returns false, with errno set, if the disk failed; true if folders cannot be synced at all.
bool sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  return !descriptor.is_open() || ::fsync(descriptor.get()) == 0 || errno == EINVAL ||
         errno == EOPNOTSUPP;
}

[[noreturn]] void fail_to_make(const fs::path& path, int reason) {
  const bool is_full = reason == ENOSPC || reason == EDQUOT;
  throw InputError("cannot make the folder " + path.string() + ": " + std::strerror(reason),
                   is_full ? remedy(reason) : "choose another with --out");
}

}  // namespace

fs::path unfinished(const fs::path& path) { return path.string() + ".part"; }

void write_atomically(const fs::path& path, std::string_view bytes, Sync sync) {
  refuse_to_replace(path);
  const fs::path sibling = unfinished(path);
  Descriptor descriptor(sibling, kCreate);
  if (!descriptor.is_open() && errno == EEXIST) {
    // An existing sibling is removed and not written to, because it may be a link to elsewhere.
    ::unlink(sibling.c_str());
    descriptor.open(sibling, kCreate);
  }
  if (!descriptor.is_open()) fail_to_write(path);
  const bool written = write_all(descriptor.get(), bytes) &&
                       (sync == Sync::kNothing || ::fsync(descriptor.get()) == 0);
  const int write_error = errno;
  // Another program's sibling must be neither renamed nor removed.
  const bool ours = is_still(descriptor, sibling);
  if (!written) errno = write_error;
  const bool renamed =
      written && ours && descriptor.close_checked() && ::rename(sibling.c_str(), path.c_str()) == 0;
  if (!renamed) {
    const int reason = errno;
    if (ours) ::unlink(sibling.c_str());
    errno = reason;
    fail_to_write(path);
  }
  if (sync == Sync::kFolder && !sync_folder(path.parent_path())) fail_to_write(path);
}

void make_writable_folder(const fs::path& path) {
  std::vector<fs::path> absent;
  std::error_code error;
  for (fs::path each = path; !each.empty() && !fs::exists(each, error); each = each.parent_path()) {
    absent.push_back(each);
  }
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

fs::path make_new_folder(const fs::path& folder) {
  make_writable_folder(folder.parent_path());
  fs::path free = folder;
  std::error_code error;
  for (int number = 2; !fs::create_directory(free, error); ++number) {
    if (error && error != std::errc::file_exists) fail_to_make(free, error.value());
    free.replace_filename(folder.filename().string() + "-" + std::to_string(number));
  }
  if (!sync_folder(free.parent_path())) fail_to_make(free, errno);
  return free;
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
